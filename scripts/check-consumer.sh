#!/usr/bin/env bash
# An app that adds Ostiary fetches swift-crypto (with swift-asn1) and swift-http-types, and nothing else: what stands
# behind a trait stays away. Resolves, builds nothing.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
allowed="swift-asn1 swift-crypto swift-http-types"

mkdir -p "$work/app/Sources/App"
echo 'import Ostiary' >"$work/app/Sources/App/App.swift"
cat >"$work/app/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "app",
    platforms: [.iOS(.v18), .macOS(.v15)],
    dependencies: [.package(name: "ostiary", path: "$root")],
    targets: [.target(name: "App", dependencies: [.product(name: "Ostiary", package: "ostiary")])]
)
EOF
if ! swift package --package-path "$work/app" --scratch-path "$work/build" resolve >"$work/log" 2>&1; then
    echo "consumer: an app that adds Ostiary does not resolve:"
    cat "$work/log"
    exit 1
fi
found="$(sed -n 's/.*"identity" : "\(.*\)".*/\1/p' "$work/app/Package.resolved" | sort | tr '\n' ' ' | sed 's/ $//')"
if [[ "$found" != "$allowed" ]]; then
    echo "consumer: an app that adds Ostiary fetches: $found; it may fetch: $allowed"
    exit 1
fi
echo "consumer: ok"
