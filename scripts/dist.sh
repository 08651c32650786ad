#!/usr/bin/env bash
# Packs a release of `ostiary` for this system into one archive: the Swift libraries are linked into the program, which needs
# the system's C libraries, SQLite, libxml2 and libcurl. The archive of the same program is the same to the byte.
# OSTIARY names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."
program="${OSTIARY:-}"
if [[ -z "$program" ]]; then
    options=()
    if [[ "$(uname)" == Linux ]]; then
        # FoundationNetworking, linked statically, calls libcurl by itself, and FoundationXML libxml2.
        for header in curl/curl.h libxml2/libxml/parser.h; do
            compgen -G "/usr/include/$header" >/dev/null || compgen -G "/usr/include/*/$header" >/dev/null || {
                echo "scripts/dist.sh: $header is missing. On Debian: apt-get install libcurl4-openssl-dev libxml2-dev" >&2
                exit 1
            }
        done
        options=(--static-swift-stdlib)
    fi
    swift build --package-path Tools --configuration release --product ostiary "${options[@]}"
    program="$(swift build --package-path Tools --configuration release --show-bin-path)/ostiary"
fi
version="$("$program" --version)"
name="ostiary-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
cp "$program" "$stage/program"
strip "$stage/program"
DESTDIR="$stage/$name" PREFIX="" OSTIARY="$stage/program" scripts/install.sh >/dev/null
cp LICENSE "$stage/$name/"
mkdir -p dist
# One order, owner and time for all files.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$stage" -cf - "$name" | gzip -n >"dist/$name.tar.gz"
echo "Wrote dist/$name.tar.gz ($(wc -c <"dist/$name.tar.gz") bytes)."
