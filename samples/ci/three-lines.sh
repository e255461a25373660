#!/bin/sh
# A job in three lines: starts an application, sends it an event, and fails unless it has sent another one, with that value.
#
# Here the application is credhook itself, which relays what it gets at port 3000 to $CREDHOOK_URL. Put yours there.
credhook listen 0 --expect bureau-alert,details.bureau=sample-bureau -- sh -c '
credhook listen 3000 -q --forward-to "$CREDHOOK_URL" & trap "kill $!" EXIT
credhook send bureau-alert --to :3000/hook --wait 30s'
