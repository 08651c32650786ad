#!/usr/bin/env bash
# A release, made in a clone with programs of no content: what it writes, tags and refuses.
set -euo pipefail
cd "$(dirname "$0")/.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
git clone -q . "$work/clone"
cp scripts/release.py "$work/clone/scripts/release.py"
cd "$work/clone"
git checkout -q -B main
git config user.name test
git config user.email test@example.com
git add -A
git commit -q --allow-empty -m "The script of the work tree"
# The checks and the programs have steps of their own.
mkdir "$work/bin"
printf '#!/bin/sh\n[ "$1" != dist ] || { mkdir -p .build-dist && echo program >.build-dist/ostiary-linux.tar.gz; }\n' >"$work/bin/make"
chmod +x "$work/bin/make"
export PATH="$work/bin:$PATH"
pin='{"pins":[{"identity":"swift-crypto","location":"https://github.com/apple/swift-crypto.git","state":{"revision":"0","version":"4.1.0"}}]}'
echo "$pin" >Package.resolved
echo "$pin" >Tools/Package.resolved
version="$(sed -nE 's/^ *version: "([^"]+)",$/\1/p' Tools/Sources/ostiary/OstiaryCommand.swift)"

fail() {
    echo "release: $1"
    exit 1
}

# refuses WORDS ARGUMENT…: the script ends with an error that says so.
refuses() {
    local said
    if said="$(scripts/release.py "${@:2}" 2>&1)"; then fail "“${*:2}” is not refused"; fi
    [[ "$said" == *"$1"* ]] || fail "“${*:2}” is refused with: $said"
}

refuses "is no version of the form" v1
refuses "states version $version, not 99.0.0" 99.0.0
echo >>README.md
refuses "the work tree has changes" "$version"
git checkout -q README.md
scripts/release.py "$version" >"$work/said"

folder=".build-release/$version"
grep -q "git push origin main $version" "$work/said" || fail "it does not say how to publish"
(cd "$folder" && sha256sum --quiet --check SHA256SUMS) || fail "the checksums do not hold"
[[ "$(wc -l <"$folder/SHA256SUMS")" == 4 ]] || fail "there are not four files: $(cat "$folder/SHA256SUMS")"
[[ "$(git rev-parse "$version^{commit}")" == "$(git rev-parse HEAD)" ]] || fail "the tag is not the release's commit"
grep -qE "^## $version – [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md || fail "CHANGELOG.md does not name the release"
! git grep -q 'ostiary/ostiary.git", branch:' -- '*.md' || fail "a page depends on the branch"
git grep -q "ostiary/ostiary.git\", from: \"$version\"" -- README.md || fail "README.md does not depend on the release"
python3 - "$folder/bom.json" "$version" <<'PYTHON'
import json, sys

bill = json.load(open(sys.argv[1]))
(crypto,) = bill["components"]
assert bill["metadata"]["component"]["version"] == sys.argv[2]
assert crypto["purl"] == "pkg:swift/github.com/apple/swift-crypto@4.1.0"
assert [entry["value"] for entry in crypto["properties"]] == ["an app", "the programs"]
PYTHON
tar -tzf "$folder/ostiary-$version.tar.gz" "ostiary-$version/Package.swift" >/dev/null || fail "the archive has no manifest"
refuses "CHANGELOG.md has nothing under Unreleased" "$version" --notes
sed -i 's/^## Unreleased$/## Unreleased\n\n- One line./' CHANGELOG.md
git commit -qam "One line"
refuses "is not after the last release" "$version"
echo "release: ok"
