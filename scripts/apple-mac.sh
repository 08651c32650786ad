#!/usr/bin/env bash
# On a Mac: builds and tests against Apple's own frameworks what Linux compiles against the stand-ins.
# apple-mac.sh [macos|ios|tvos|watchos|visionos|catalyst|example|all]     Default: macos, ios and example.
#
# The same tests as Linux runs on the stand-ins: Tests/Apple, Tests/AppleContracts and Tests/MainActorConsumer, and on macOS
# every other test of the libraries, too. The simulators have no signed host app here, so what needs a keychain is run on macOS
# alone (the file keychain); a sheet in front of a person needs a person: Examples/SwiftUIApp.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ "$(uname)" == Darwin ]] || {
    echo "This needs a Mac; on Linux the stand-ins are tested: scripts/apple.sh" >&2
    exit 2
}
# Of this package alone: what it depends on is compiled without warnings.
export OSTIARY_WARNINGS=errors
results="$(mktemp -d)"
trap 'rm -rf "$results"' EXIT

# The newest simulator of a kind that is installed: a name differs from Xcode to Xcode.
simulator() {
    xcrun simctl list devices available --json |
        python3 -c '
import json, sys
kind = sys.argv[1]
runtimes = json.load(sys.stdin)["devices"]
found = [(key, device["udid"]) for key, devices in runtimes.items() if f"SimRuntime.{kind}-" in key for device in devices]
if not found:
    sys.exit(f"There is no simulator of {kind}: xcodebuild -downloadPlatform {kind}")
version = lambda key: [int(part) for part in key.rsplit(f"{kind}-", 1)[1].split("-")]
print(max(found, key=lambda pair: version(pair[0]))[1])
' "$1"
}

on_simulator() {
    local kind="$1" platform="$2"
    local device
    device="$(simulator "$kind")"
    xcodebuild test -scheme ostiary-Package -destination "platform=$platform Simulator,id=$device" \
        -only-testing:AppleTests -only-testing:AppleContracts -only-testing:MainActorConsumer \
        -resultBundlePath "$results/$kind.xcresult"
}

compiled() { xcodebuild build -scheme OstiarySwiftUI -destination "generic/platform=$1"; }

run() {
    case "$1" in
        macos)
            swift build --build-tests
            swift test --skip-build --no-parallel
            ;;
        ios) on_simulator iOS iOS ;;
        tvos) compiled "tvOS" ;;
        watchos) compiled "watchOS" ;;
        visionos) on_simulator xrOS visionOS ;;
        catalyst) xcodebuild build -scheme OstiarySwiftUI -destination "platform=macOS,variant=Mac Catalyst" ;;
        example)
            xcodebuild build -project Examples/SwiftUIApp/SwiftUIApp.xcodeproj -scheme SwiftUIApp \
                -destination "generic/platform=iOS Simulator" CODE_SIGNING_ALLOWED=NO
            ;;
        all) for each in macos ios tvos watchos visionos catalyst example; do run "$each"; done ;;
        *)
            echo "Not a platform: $1" >&2
            exit 2
            ;;
    esac
}

if [[ $# == 0 ]]; then set -- macos ios example; fi
for platform in "$@"; do run "$platform"; done
