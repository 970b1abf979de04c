#!/usr/bin/env bash
# All checks that need a GPU, within 8 minutes, for a machine that has one and
# nothing but CUDA.
#
#     check.sh pack BUILD ARCHIVE [CASE...]   where Debian's packages are: puts
#         what BUILD has built, MPICH, HDF5 and libyaml, and cases into
#         ARCHIVE.tar.gz. A CASE is a folder with src.yaml, dst.yaml and the
#         source's files
#     check.sh run ARCHIVE                    on the machine with the GPU
#     check.sh BUILD [CASE...]                both at once
#
# Kernels are held against the host, a small part of it under compute-sanitizer;
# checkpoints are moved by one and by two processes that share the GPU, and held
# against what they must be; last comes a table of what the kernels reach of the
# GPU's bandwidth. The exit status is 0 where nothing failed.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
seconds_in_all=470

# ------------------------------------------------------------------- packing

# The libraries that programs need, but for the C library's own.
libraries_of() {
    ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
        grep -vE '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so'
}

# The layouts of a checkpoint of configs/, which is made where it is moved.
pack_trip() { # FOLDER BUILD TABLE SRC DST SCALE
    local layout
    mkdir -p "$1"
    echo "$3" >"$1/table"
    for layout in "$4" "$5"; do
        "$2/tools/dtx-checkpoint" layout "$top/configs/$layout" --root "$1" \
            --scale "$6" || return 1
    done
    [ "$(basename "$4")" = src.yaml ] || mv "$1/$(basename "$4")" "$1/src.yaml"
    [ "$(basename "$5")" = dst.yaml ] || mv "$1/$(basename "$5")" "$1/dst.yaml"
}

pack() { # BUILD ARCHIVE [CASE...]
    local build=$1 archive=$2 folder program case number=0
    shift 2
    folder=$(mktemp -d) || return 1
    mkdir -p "$folder/bin" "$folder/lib" "$folder/cases" "$folder/trips"
    for program in dtx tools/dtx-checkpoint tests/gpu/gpu-kernels \
        tests/gpu/gpu-bench; do
        cp "$build/$program" "$folder/bin/" || return 1
    done
    for program in mpiexec.hydra hydra_pmi_proxy; do
        cp -L "$(command -v $program)" "$folder/bin/" || return 1
    done
    libraries_of "$folder"/bin/* | while read -r program; do
        cp -L "$program" "$folder/lib/" || exit 1
    done || return 1
    strip --strip-unneeded "$folder"/lib/* 2>/dev/null
    pack_trip "$folder/trips/gpt2" "$build" gpt2.yaml gpt2/src.yaml \
        gpt2/dst.yaml 4 || return 1
    pack_trip "$folder/trips/llama" "$build" llama-3.1-8b.yaml \
        llama-3.1-8b/fsdp8.yaml llama-3.1-8b/tp4.yaml 64 || return 1
    for case in "$@"; do
        number=$((number + 1))
        cp -rL "$case" "$folder/cases/$number-$(basename "$case")" || return 1
    done
    cp "$here/check.sh" "$folder/"
    tar -C "$folder" -czf "$archive.tar.gz" . || return 1
    rm -rf "$folder"
    ls -l "$archive.tar.gz"
}

# ------------------------------------------------------------------- running

failures=0
begin=$SECONDS

# step NAME SECONDS COMMAND...: says how it went; no step runs past the end.
step() {
    local name=$1 limit=$2 left=$((seconds_in_all - (SECONDS - begin))) at=$SECONDS
    local status
    shift 2
    if [ "$left" -le 5 ]; then
        printf '%-46s LEFT OUT: no time is left\n' "$name"
        failures=$((failures + 1))
        return 1
    fi
    timeout --kill-after=5 "$((limit < left ? limit : left))" "$@" \
        >"$scratch/log" 2>&1
    status=$?
    if [ "$status" -eq 0 ]; then
        printf '%-46s ok      %4d s\n' "$name" "$((SECONDS - at))"
        return 0
    fi
    printf '%-46s FAILED  %4d s, status %d\n' "$name" "$((SECONDS - at))" "$status"
    tail -15 "$scratch/log" | sed 's/^/    /'
    failures=$((failures + 1))
    return 1
}

on() { # PROCESSES COMMAND...: under mpirun
    local processes=$1
    shift
    "$root/bin/mpiexec.hydra" -n "$processes" "$@"
}
export -f on

# Moves a known checkpoint, and looks at every element.
trip() { # FOLDER PROCESSES OPTION...
    local folder=$1 processes=$2 table
    shift 2
    table=$(cat "$folder/table")
    cd "$folder" && on "$processes" "$root/bin/dtx" reshard src.yaml dst.yaml \
        --force --progress none --memory 256MiB "$@" &&
        "$root/bin/dtx-checkpoint" check "$table" dst.yaml
}

# Moves a case on the host and on the device: the targets are alike.
alike() { # FOLDER PROCESSES OPTION...
    local folder=$1 processes=$2
    shift 2
    rm -rf "$scratch/host" "$scratch/device"
    cp -r "$folder" "$scratch/host" && cp -r "$folder" "$scratch/device" &&
        (cd "$scratch/host" && on 1 "$root/bin/dtx" reshard src.yaml dst.yaml \
            --progress none --device cpu) &&
        (cd "$scratch/device" && on "$processes" "$root/bin/dtx" reshard \
            src.yaml dst.yaml --progress none --device cuda --memory 8MiB "$@") &&
        "$root/bin/dtx" diff "$scratch/host/dst.yaml" "$scratch/device/dst.yaml"
}
export -f trip alike

checks() {
    local folder processes strategy
    step "kernels as on the host" 120 "$root/bin/gpu-kernels"
    if command -v compute-sanitizer >/dev/null; then
        step "compute-sanitizer: memory" 120 compute-sanitizer \
            --error-exitcode 9 "$root/bin/gpu-kernels" 100
        step "compute-sanitizer: races" 60 compute-sanitizer --tool racecheck \
            --error-exitcode 9 "$root/bin/gpu-kernels" 300
    else
        echo "compute-sanitizer isn't here"
    fi
    for folder in "$root"/trips/*/; do
        step "$(basename "$folder") is made" 60 "$root/bin/dtx-checkpoint" \
            write "$folder/$(cat "$folder/table")" "$folder/src.yaml"
        for processes in 1 2; do
            step "$(basename "$folder") by $processes" 60 bash -c \
                'trip "$@"' - "$folder" "$processes" --device cuda
        done
        step "$(basename "$folder") by 2, through the host" 60 bash -c \
            'trip "$@"' - "$folder" 2 --device cuda --transport mpi
    done
    for folder in "$root"/cases/*/; do
        [ -d "$folder" ] || continue
        for processes in 1 2; do
            for strategy in optimal redistribute; do
                step "$(basename "$folder") by $processes, $strategy" 30 \
                    bash -c 'alike "$@"' - "$folder" "$processes" \
                    --strategy "$strategy"
            done
        done
    done
    step "bandwidth" 90 "$root/bin/gpu-bench"
    echo
    cat "$scratch/log"
}

run() { # ARCHIVE
    local archive=$1
    scratch=$(mktemp -d) || return 1
    root=$scratch/root
    mkdir "$root" && tar -C "$root" -xzf "$archive" || return 1
    # MPICH over UCX looks for devices that virtual machines don't have.
    export LD_LIBRARY_PATH=$root/lib HWLOC_COMPONENTS=-pci root scratch
    export PATH=$root/bin:$PATH:/usr/local/cuda/bin
    "$root/bin/dtx" version
    "$root/bin/gpu-kernels" 1000 >"$scratch/log"
    if [ $? -eq 77 ]; then
        cat "$scratch/log"
        rm -rf "$scratch"
        return 77
    fi
    checks
    rm -rf "$scratch"
    echo
    echo "$((SECONDS - begin)) seconds, $failures failures"
    [ "$failures" -eq 0 ]
}

case ${1:-} in
pack)
    shift
    pack "$@"
    ;;
run)
    run "$2"
    ;;
'' | -*)
    sed -n '2,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
*)
    archive=$(mktemp)
    pack "$1" "$archive" "${@:2}" && run "$archive.tar.gz"
    status=$?
    rm -f "$archive" "$archive.tar.gz"
    exit "$status"
    ;;
esac
