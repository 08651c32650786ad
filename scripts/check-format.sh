#!/usr/bin/env bash
# Format, naming rules and a doc comment on every public declaration.
set -euo pipefail
cd "$(dirname "$0")/.."
paths=(Package.swift Sources)
for path in Tools/Package.swift Tools/Sources Examples/*/Package.swift Examples/*/Sources; do [[ -e "$path" ]] && paths+=("$path"); done
swift format lint --strict --recursive --parallel --configuration .swift-format "${paths[@]}"
tests=(Tests)
for path in Tools/Tests Examples/*/Tests; do [[ -e "$path" ]] && tests+=("$path"); done
swift format lint --strict --recursive --parallel --configuration Tests/.swift-format "${tests[@]}"
echo "format and documented public API: ok"
