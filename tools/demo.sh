#!/usr/bin/env bash
# Shows dtx at work: installs what is missing, builds, writes a GPT-2
# checkpoint as eight FSDP ranks save it, and moves it to a dp 2 x tp 2 mesh
# with four processes. Every element of the result is checked.
#
#   tools/demo.sh [FOLDER]    FOLDER is kept; default a temporary one
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
table=$top/tools/models/gpt2.yaml
checkpoint=$top/build/tools/dtx-checkpoint
PATH=$top/build:$PATH
# Where several MPIs are installed, mpirun may be another's.
mpirun=mpirun
if command -v mpirun.mpich >/dev/null; then
    mpirun=mpirun.mpich
fi

say() {
    printf '\n%s\n' "$*"
}

# Shows a command and runs it.
run() {
    say "\$ $*"
    "$@"
}

"$top/tools/install-packages.sh"
"$top/tools/build.sh" dtx tools/dtx-checkpoint

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cd "$1"
else
    folder=$(mktemp -d "${TMPDIR:-/tmp}/dtx-demo.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
fi

say "A GPT-2 checkpoint in full size, saved by eight FSDP ranks (0.9 GB)"
"$checkpoint" layout "$top/configs/gpt2/src.yaml" --root .
"$checkpoint" layout "$top/configs/gpt2/dst.yaml" --root .
"$checkpoint" write "$table" src.yaml

run dtx plan src.yaml dst.yaml --procs 4
run "$mpirun" -n 4 dtx reshard src.yaml dst.yaml --force

say "Is every element of the result what it was in the source?"
"$checkpoint" check "$table" dst.yaml
