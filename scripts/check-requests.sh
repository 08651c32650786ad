#!/usr/bin/env bash
# Every wrong request in the tables of docs/server.md is a test: the name in the last column is one that stands in the sources.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
count=0
sources="$(find Tests Tools/Tests -name '*.swift' -exec cat {} +)"
while IFS= read -r name; do
    count=$((count + 1))
    grep -qF "\"$name\"" <<<"$sources" || { echo "There is no test \"$name\"."; failed=1; }
done < <(sed -n '/^## Requests that are wrong/,/^## Logs/p' docs/server.md | awk -F' [|] ' '/^[|]/ && !/^[|]-/ { print $NF }' |
    sed 's/ |$//' | grep -vx Test)
[[ $count -gt 20 ]] || { echo "The tables cannot be read."; failed=1; }
[[ $failed == 0 ]] && echo "requests: ok, $count rows"
exit $failed
