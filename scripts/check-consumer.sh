#!/usr/bin/env bash
# An app that adds Ostiary fetches swift-crypto (with swift-asn1) and swift-http-types, and nothing else: the packages behind a
# trait stay away. Resolves, builds nothing.
#
# check-consumer.sh build SCRATCH: builds an app of tools version 6.2 that depends on Ostiary, on the backend kit with
# Hummingbird and on the development provider.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# package FOLDER TRAITS TARGETS: the manifest of an app.
package() {
    cat >"$1/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "app",
    platforms: [.iOS(.v16), .macOS(.v13)],
    dependencies: [.package(name: "ostiary", path: "$root"$2)],
    targets: [$3]
)
EOF
}

# target NAME PRODUCT…
target() {
    local name="$1" products=""
    shift
    for product in "$@"; do products+=".product(name: \"$product\", package: \"ostiary\"), "; done
    echo ".target(name: \"$name\", dependencies: [$products]),"
}

mkdir -p "$work"/app/Sources/{App,Backend,Double}
echo 'import Ostiary' >"$work/app/Sources/App/App.swift"
if [[ "${1:-}" == build ]]; then
    cat >"$work/app/Sources/App/App.swift" <<'EOF'
import Ostiary

func token() async throws -> Secret {
    let client = try SignInClient(issuer: "https://id.example.com", clientID: "app", redirectURI: "com.example.app:/cb")
    return try await client.signIn().accessToken()
}
EOF
    cat >"$work/app/Sources/Backend/Backend.swift" <<'EOF'
import OstiaryHummingbird
import OstiaryServer

func middleware<Context: AccessTokenContext>(for context: Context.Type) -> Any.Type { AccessTokenMiddleware<Context>.self }
let verifier: Any.Type = AccessTokenVerifier.self
EOF
    cat >"$work/app/Sources/Double/Double.swift" <<'EOF'
import OstiaryProvider

let provider: Any.Type = Provider.self
EOF
    package "$work/app" ', traits: ["Hummingbird"]' \
        "$(target App Ostiary) $(target Backend OstiaryServer OstiaryHummingbird) $(target Double OstiaryProvider)"
    swift build --package-path "$work/app" --scratch-path "$2"
    echo "consumer: builds"
    exit
fi

allowed="swift-asn1 swift-crypto swift-http-types"
package "$work/app" "" "$(target App Ostiary)"
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
