#!/usr/bin/env bash
# Prepares the libraries of other languages that make bench compares with, and prints their folder: node where it is
# installed, and PyJWT and joserfc from PyPI. Nothing is compared with what is missing; standard error names it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder="$PWD/Benchmarks/.build/peers"
mkdir -p "$folder/bin"
if node=$(command -v node); then
    ln -sf "$node" "$folder/bin/node"
else
    echo "bench: nothing is compared with node's crypto. Next: install node" >&2
fi
if ! "$folder/bin/python" -c 'import jwt, joserfc' 2>/dev/null; then
    { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "PyJWT[crypto]" joserfc; } >&2 || {
        rm -f "$folder/bin/python"
        echo "bench: nothing is compared with PyJWT and joserfc. Next: make python3 -m venv and pip install work" >&2
    }
fi
echo "$folder"
