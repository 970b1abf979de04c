#!/usr/bin/env bash
# Makes a Debian package of dtx: the program, the library with its headers, the
# manual pages, completions and batch scripts.
#
#   tools/deb.sh [FOLDER [MESON_OPTION...]]
#
# The package is put into FOLDER, default the current one, and its path is the
# only thing on standard output. Installs nothing, and needs no rights; what it
# builds with is in packages.txt. It depends on the packages whose libraries
# the build has found, so that it is for the release that it was made on.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(cd "${1:-.}" && pwd)
shift $(($# > 0))

work=$(mktemp -d "${TMPDIR:-/tmp}/dtx-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root

meson setup --prefix=/usr --libdir="lib/$(gcc -print-multiarch)" \
    -Dtests=false "$@" "$work/build" "$top" >&2
ninja -C "$work/build" >&2
DESTDIR=$root meson install -C "$work/build" --no-rebuild >&2
strip --strip-unneeded "$root/usr/bin/dtx" "$root"/usr/lib/*/libdtx.so.*.*
find "$root/usr/share/man" -type f -exec gzip -9n {} +
install -D -m 644 "$top/LICENSE" "$root/usr/share/doc/dtx/copyright"
gzip -9nc "$top/CHANGELOG.md" >"$root/usr/share/doc/dtx/changelog.gz"

# The package that owns a library; the file can be known by either name where
# /lib is a link.
owner() {
    dpkg-query -S "$(realpath "$1")" "$1" "/usr$1" "${1#/usr}" 2>/dev/null |
        sed -n '1s/:.*//p' || true
}

# The libraries that the program and the library name, where they are found.
libraries() {
    for file in "$root/usr/bin/dtx" "$root"/usr/lib/*/libdtx.so.*.*; do
        objdump -p "$file" | awk '$1 == "NEEDED" {print $2}' |
            while read -r name; do
                ldd "$file" | awk -v name="$name" '$1 == name {print $3}'
            done
    done | sort -u
}

# "name (>= version)" of their packages, on one line.
depends() {
    libraries | while read -r library; do owner "$library"; done | sort -u |
        while read -r package; do
            version=$(dpkg-query -W -f '${Version}\n' "$package" | head -n 1)
            printf '%s (>= %s)\n' "$package" "${version%%[-+]*}"
        done | paste -sd , | sed 's/,/, /g'
}

version=$(meson introspect --projectinfo "$work/build" |
    sed 's/.*"version": "\([^"]*\)".*/\1/')
architecture=$(dpkg --print-architecture)
mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: dtx
Version: $version
Architecture: $architecture
Maintainer: dtx maintainers <maintainers@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: $(depends)
Recommends: mpich
Section: science
Priority: optional
Description: moves sharded model checkpoints between layouts
 dtx moves a sharded model checkpoint, in HDF5 files, from the layout it was
 saved in to another one, with any number of MPI processes and within a given
 memory. It shows beforehand what it will do.
CONTROL
printf 'activate-noawait ldconfig\n' >"$root/DEBIAN/triggers"
(cd "$root" && find usr -type f -exec md5sum {} + >DEBIAN/md5sums)
package=$folder/dtx_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >&2
echo "$package"
