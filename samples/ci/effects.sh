#!/bin/sh
# A job of one line: starts a listener, tests what it responds and what it keeps, ends it amid notifications, and starts it again.
#
# Here the listener is credhook itself, whose capture keeps repeats and what it refuses, on purpose. Put yours there, and what prints what it keeps.
credhook test --to :3000/hook --skip effect/once --skip effect/at-once --skip effect/none --observe 'cat capture.ndjson' -- credhook listen 3000 --path /hook --validate reject --capture capture.ndjson -q
