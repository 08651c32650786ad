#!/usr/bin/env bash
# Format, naming rules and a doc comment on every public declaration.
set -euo pipefail
cd "$(dirname "$0")/.."
paths=(Package.swift Sources)
for path in Tools/Package.swift Tools/Sources; do [[ -e "$path" ]] && paths+=("$path"); done
swift format lint --strict --recursive --parallel --configuration .swift-format "${paths[@]}"
tests=(Tests)
[[ -d Tools/Tests ]] && tests+=(Tools/Tests)
swift format lint --strict --recursive --parallel --configuration Tests/.swift-format "${tests[@]}"
echo "format and documented public API: ok"
