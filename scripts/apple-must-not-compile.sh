#!/usr/bin/env bash
# What must not be possible on Apple's platforms does not compile: each case of Tests/MustNotCompile/apple.txt is refused for
# its own reason. Needs a build in the shape that is given, ios or macos, and scripts/apple-triple.sh for it; the cases of the
# other shape are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
shape="${1:?ios or macos}"
modules="$(swift build --show-bin-path)/Modules"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# Not /dev/null: a compiler that is stopped removes what it writes, and root may.
flags=(-emit-sil -o "$work/case.sil" -swift-version 6 -parse-as-library -Werror DeprecatedDeclaration -I "$modules"
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature ExistentialAny
    -Xfrontend -import-module -Xfrontend SimulatedFoundation)
while IFS= read -r map; do flags+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find .build/checkouts/swift-crypto/Sources "${modules%/Modules}/CSecretService.build" -name module.modulemap)
for module in "$modules"/Simulated*.swiftmodule; do
    module="$(basename "$module" .swiftmodule)"
    case "$module" in
        SimulatedPlatform | SimulatedFoundation) ;;
        *) flags+=(-module-alias "${module#Simulated}=$module") ;;
    esac
done

# compile HOW FILE
compile() {
    case "$1" in
        ios) swiftc "${flags[@]}" -module-name Case "$2" ;;
        triple) scripts/apple-triple.sh ios file "$2" ;;
        macos-triple) scripts/apple-triple.sh macos file "$2" ;;
        extension) scripts/apple-triple.sh ios file "$2" -application-extension ;;
        *) echo "no such way to compile: $1"; exit 2 ;;
    esac
}

failed=0
count=0
while IFS='|' read -r name how expected code; do
    name="${name// /}"
    how="${how// /}"
    [[ -z "$name" || "$name" == \#* ]] && continue
    [[ "$how" == macos* && "$shape" != macos || "$how" != macos* && "$shape" != ios ]] && continue
    expected="$(sed 's/^ *//; s/ *$//' <<<"$expected")"
    tr ';' '\n' <<<"$code" | sed 's/^ *//' >"$work/$name.swift"
    count=$((count + 1))
    if output="$(compile "$how" "$work/$name.swift" 2>&1)"; then
        [[ "$name" == control-* ]] || { echo "$name compiles, and must not"; failed=1; }
    elif [[ "$name" == control-* ]]; then
        echo "$name does not compile, and must:"
        grep -m 5 'error:' <<<"$output" || tail -5 <<<"$output"
        failed=1
    elif ! grep -F 'error:' <<<"$output" | grep -qF -- "$expected"; then
        echo "$name is refused for another reason than \"$expected\":"
        grep -m 5 'error:' <<<"$output" || tail -5 <<<"$output"
        failed=1
    fi
done <Tests/MustNotCompile/apple.txt
[[ $count -gt 0 ]] || { echo "no case was compiled"; failed=1; }
[[ $failed == 0 ]] && echo "apple-must-not-compile: $count cases ok in the shape of $shape"
exit $failed
