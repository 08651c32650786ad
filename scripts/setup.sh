#!/usr/bin/env bash
# Installs the system packages that building and testing need, where apt-get is the way; elsewhere it says what is missing.
set -euo pipefail
command -v swift >/dev/null || {
    echo "Swift is not installed, and Swift 6.2.1 or later is needed. Install it: https://www.swift.org/install" >&2
    exit 1
}
[[ "$(uname)" == Linux ]] || exit 0
command -v dpkg-query >/dev/null || exit 0
missing=()
# PostgreSQL for the store that instances of a backend share, Redis for their replays and limits, and nginx to stand before
# them; a desktop's keyring, which the store for it is tested against; spin, which checks the model of a refresh.
packages=(
    libsqlite3-dev zlib1g-dev pkgconf postgresql postgresql-client redis-server nginx-light pgbouncer openssl python3 spin gcc
    dbus
    gnome-keyring libsecret-1-0 procps python3-pip
)
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' && continue
    # Any nginx and any PostgreSQL will do.
    case "$package" in
    nginx-light) command -v nginx >/dev/null && continue ;;
    redis-server) command -v valkey-server redis-server >/dev/null && continue ;;
    pgbouncer) [[ -x /usr/sbin/pgbouncer ]] && continue ;;
    python3 | openssl | gcc) command -v "$package" >/dev/null && continue ;;
    python3-pip) python3 -m pip --version >/dev/null 2>&1 && continue ;;
    postgresql) compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && continue ;;
    esac
    missing+=("$package")
done
[[ ${#missing[@]} == 0 ]] && exit 0
echo "Installing ${missing[*]}" >&2
sudo=()
[[ "$(id -u)" == 0 ]] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq >&2
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
