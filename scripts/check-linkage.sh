#!/usr/bin/env bash
# A program that only verifies tokens loads Foundation's essentials and not Foundation. Needs a debug build.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ "$(uname)" == Linux ]] || { echo "linkage: skipped (Linux only)"; exit 0; }
bin="$(swift build --show-bin-path)"
for module in OstiaryCompatibility OstiaryJOSE OstiaryOAuth OstiaryServer; do
    [[ -d "$bin/$module.build" ]] || { echo "$module is not built: run swift build"; exit 1; }
    for object in "$bin/$module.build"/*.o; do
        if strings -a "$object" | grep -qE '^-lFoundation$|^-lFoundationNetworking$'; then
            echo "$module links Foundation: $(basename "$object")"
            exit 1
        fi
    done
done
echo "linkage: ok"
