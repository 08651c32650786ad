#!/usr/bin/env bash
# Where Int has 32 bits, as on the watches of arm64_32, the readers of JSON, tokens' text and base64url compile, and no literal in
# them is too large. The Swift for Linux has no Foundation for such a processor, so the other files cannot be compiled for one; this
# is the Embedded Swift of armv7, and nothing is run.
set -euo pipefail
cd "$(dirname "$0")/.."
swiftc="$(command -v swiftc)"
usr="$(cd "$(dirname "$(readlink -f "$swiftc")")/.." && pwd)"
if [[ ! -d "$usr/lib/swift/embedded/armv7-none-none-eabi" && ! -e "$usr/lib/swift/embedded/Swift.swiftmodule/armv7-none-none-eabi.swiftmodule" ]]; then
    echo "32-bit: skipped (this Swift has no standard library for armv7)"
    exit 0
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# compile MODULE FILE…
compile() {
    "$swiftc" -target armv7-none-none-eabi -enable-experimental-feature Embedded -wmo -swift-version 6 -package-name ostiary \
        -parse-as-library -enable-upcoming-feature ExistentialAny -warnings-as-errors -I "$work" \
        -emit-module -emit-module-path "$work/$1.swiftmodule" -emit-sil -o "$work/$1.sil" -module-name "$1" "${@:2}"
}

compile OstiaryCompatibility Sources/OstiaryCompatibility/String+UTF8.swift
compile OstiaryJOSE Sources/OstiaryJOSE/JSON/*.swift Sources/OstiaryJOSE/Encoding/*.swift Sources/OstiaryJOSE/JOSEError.swift

# A literal that 64 bits hold and 32 do not has to be refused, or the check shows nothing.
echo 'let size: Int = 3_000_000_000' >"$work/large.swift"
if compile Large "$work/large.swift" 2>"$work/log" || ! grep -q 'overflows' "$work/log"; then
    echo "32-bit: a literal of more than 32 bits is not noticed"
    cat "$work/log"
    exit 1
fi
echo "32-bit: the readers of JSON and base64url compile with an Int of 32 bits"
