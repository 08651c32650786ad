#!/usr/bin/env bash
# What must not be possible does not compile: each case of Tests/MustNotCompile/cases.txt is refused for its own reason.
# Needs a debug build (swift build). Ownership errors appear only past type checking, hence -emit-sil.
set -euo pipefail
cd "$(dirname "$0")/.."
modules="$(swift build --show-bin-path)/Modules"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# Not /dev/null: a compiler that is stopped removes what it writes, and root may.
flags=(-emit-sil -o "$work/case.sil" -swift-version 6 -parse-as-library -I "$modules")
while IFS= read -r map; do flags+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find .build/checkouts/swift-crypto/Sources "${modules%/Modules}/CSecretService.build" -name module.modulemap)
failed=0
count=0
while IFS='|' read -r name expected code; do
    name="${name// /}"
    [[ -z "$name" || "$name" == \#* ]] && continue
    expected="$(sed 's/^ *//; s/ *$//' <<<"$expected")"
    tr ';' '\n' <<<"$code" | sed 's/^ *//' >"$work/$name.swift"
    count=$((count + 1))
    if output="$(swiftc "${flags[@]}" "$work/$name.swift" 2>&1)"; then
        [[ "$name" == control-* ]] || { echo "$name compiles, and must not"; failed=1; }
    elif [[ "$name" == control-* ]]; then
        echo "$name does not compile, and must:"
        grep 'error:' <<<"$output"
        failed=1
    elif ! grep -F 'error:' <<<"$output" | grep -qF -- "$expected"; then
        echo "$name is refused for another reason than \"$expected\":"
        grep 'error:' <<<"$output"
        failed=1
    fi
done <Tests/MustNotCompile/cases.txt
[[ $failed == 0 ]] && echo "must-not-compile: $count cases ok"
exit $failed
