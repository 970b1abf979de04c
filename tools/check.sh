#!/usr/bin/env bash
# Installs what is missing, builds in build/ and runs the tests. Arguments go
# to `meson test`, as in `tools/check.sh --suite unit`. The last line says
# "N passed, M failed" (and "K skipped"); the exit status is 0 when none
# failed.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$tools/../build

"$tools/install-packages.sh"
"$tools/build.sh"
rm -f "$build/meson-logs/testlog.json"
status=0
meson test -C "$build" --print-errorlogs "$@" || status=$?
"$tools/count-tests" "$build/meson-logs/testlog.json" || status=1
exit "$status"
