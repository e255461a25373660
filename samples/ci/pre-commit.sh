#!/bin/sh
# The pre-commit hooks: builds credhook in their clone on first use, and runs it.
set -eu
here=$(dirname "$0")
credhook=$(sh "$here/build.sh")
exec "$credhook" "$@"
