#!/usr/bin/env bash
# Builds in build/: what is named, or all. What ninja prints goes to standard
# error.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [ ! -f "$top/build/build.ninja" ]; then
    meson setup "$top/build" "$top" >&2
fi
ninja -C "$top/build" "$@" >&2
