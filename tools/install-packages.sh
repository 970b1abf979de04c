#!/usr/bin/env bash
# Installs the packages of packages.txt that are missing, on Debian 12. Does
# nothing, and needs no rights, where none is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v apt-get >/dev/null; then
    echo "install-packages: no apt-get here; the packages are in" \
        "$here/packages.txt" >&2
    exit 1
fi

missing=()
while read -r package; do
    installed "$package" || missing+=("$package")
done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$here/packages.txt")
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install-packages: needs root or sudo to install:" \
            "${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "Installing ${#missing[@]} packages: ${missing[*]}"
# A second try, because mirrors do hiccup.
for try in 1 2; do
    if "${as_root[@]}" apt-get update -q &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -q -y --no-install-recommends "${missing[@]}"; then
        exit 0
    fi
    echo "install-packages: try $try failed" >&2
    sleep 2
done
exit 1
