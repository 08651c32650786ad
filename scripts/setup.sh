#!/usr/bin/env bash
# Installs the system packages that building and testing need, where apt-get is the way; elsewhere it says what is missing.
set -euo pipefail
command -v swift >/dev/null || {
    echo "Swift 6.3 or later is needed: https://www.swift.org/install" >&2
    exit 1
}
[[ "$(uname)" == Linux ]] || exit 0
command -v dpkg-query >/dev/null || exit 0
missing=()
# Among them a desktop's keyring, which the store for it is tested against, and ps for the search of what processes show.
for package in libsqlite3-dev zlib1g-dev spin gcc dbus gnome-keyring libsecret-1-0 procps; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[[ ${#missing[@]} == 0 ]] && exit 0
echo "Installing ${missing[*]}" >&2
sudo=()
[[ "$(id -u)" == 0 ]] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq >&2
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
