#!/usr/bin/env bash
# On a Mac: builds and tests against Apple's own frameworks what Linux compiles against the stand-ins.
#
#   apple-mac.sh report [PLATFORM…]     every platform, or those named; goes on after a failure and writes a report in Markdown,
#                                       .build/apple-report.md, to paste into an issue. The status is 1 when a step failed.
#   apple-mac.sh [PLATFORM…]            stops at the first failure. Default: macos, ios and example.
#
# A platform is macos, ios, tvos, watchos, visionos, catalyst, example or keychain; "all" is every one.
#
# The same tests as Linux runs on the stand-ins: Tests/Apple, Tests/AppleContracts and Tests/MainActorConsumer, and on macOS
# every other test of the libraries. A package's tests run without an app, so the tests of the data protection keychain and of the
# enclave are skipped there. "keychain" runs Tests/AppleContracts in a host app, Tests/AppleHost: in a simulator of iOS without
# a development team; with OSTIARY_TEAM=IDENTIFIER, Xcode signed in to it, also on this Mac, and with OSTIARY_DEVICE=UDID besides on
# that phone. A Mac's data protection keychain and a device need a provisioning profile: an ad-hoc signature is not enough.
# A sheet in front of a user needs a user: Examples/SwiftUIApp.
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
    name = "visionOS" if kind == "xrOS" else kind
    sys.exit(f"There is no simulator of {name}: xcodebuild -downloadPlatform {name}")
version = lambda key: [int(part) for part in key.rsplit(f"{kind}-", 1)[1].split("-")]
print(max(found, key=lambda pair: version(pair[0]))[1])
' "$1"
}

# The tests of the frameworks, at a destination. No other test is compiled: some start processes, which a phone or a watch does not.
tested() {
    OSTIARY_TESTS=AppleTests,AppleContracts,MainActorConsumer xcodebuild test -scheme ostiary-Package -destination "$2" \
        -only-testing:AppleTests -only-testing:AppleContracts -only-testing:MainActorConsumer \
        -resultBundlePath "$results/$1.xcresult"
}

# In a simulator; first for a device, which has another processor, a watch's with an Int of 32 bits.
on_simulator() {
    local kind="$1" platform="$2"
    local device
    device="$(simulator "$kind")"
    xcodebuild build -scheme OstiarySwiftUI -destination "generic/platform=$platform" CODE_SIGNING_ALLOWED=NO
    tested "$kind" "platform=$platform Simulator,id=$device"
}

# The contract of the keychain in a host app; the scheme says that its keychain has to be open.
hosted() {
    xcodebuild test -project Tests/AppleHost/KeychainHost.xcodeproj -scheme KeychainHost "$@" \
        -resultBundlePath "$results/keychain-$RANDOM.xcresult"
}

keychain() {
    local device
    device="$(simulator iOS)"
    hosted -destination "platform=iOS Simulator,id=$device" CODE_SIGN_IDENTITY=-
    local signed=(-allowProvisioningUpdates "DEVELOPMENT_TEAM=${OSTIARY_TEAM:-}")
    if [[ -z "${OSTIARY_TEAM:-}" ]]; then
        echo "not run: this Mac's keychains (OSTIARY_TEAM is not set)"
    else
        hosted -destination "platform=macOS" "${signed[@]}"
    fi
    if [[ -z "${OSTIARY_TEAM:-}" || -z "${OSTIARY_DEVICE:-}" ]]; then
        echo "not run: a phone's keychain (OSTIARY_TEAM and OSTIARY_DEVICE are not both set)"
    else
        hosted -destination "id=$OSTIARY_DEVICE" "${signed[@]}"
    fi
}

platforms=(macos ios tvos watchos visionos catalyst example keychain)

run() {
    case "$1" in
        macos)
            swift build --build-tests
            swift test --skip-build --no-parallel
            ;;
        ios) on_simulator iOS iOS ;;
        tvos) on_simulator tvOS tvOS ;;
        watchos) on_simulator watchOS watchOS ;;
        visionos) on_simulator xrOS visionOS ;;
        catalyst) tested catalyst "platform=macOS,variant=Mac Catalyst" ;;
        example)
            xcodebuild build -project Examples/SwiftUIApp/SwiftUIApp.xcodeproj -scheme SwiftUIApp \
                -destination "generic/platform=iOS Simulator" CODE_SIGNING_ALLOWED=NO
            ;;
        keychain) keychain ;;
        all) for each in "${platforms[@]}"; do run "$each"; done ;;
        *)
            echo "Not a platform: $1. Platforms: ${platforms[*]}, all" >&2
            exit 2
            ;;
    esac
}

# The lines that say what went wrong, without the folders of this machine.
first_errors() {
    grep -E 'error:|✘ Test .*recorded an issue|Testing failed|There is no simulator' "$1" | grep -v '^ ' | head -n 12 |
        sed "s|$PWD/||g; s|$HOME|~|g; s|[[:space:]]*$||" | cut -c 1-400
}

# The last line of a test run that counts: how many passed, how many failed.
counted() {
    grep -Eo 'Test run with [0-9]+ tests? (in [0-9]+ suites? )?(passed|failed).*|Executed [0-9]+ tests?, with .*' "$1" |
        tail -n 1 || true
}

# What a step says that it left out.
left_out() {
    grep '^not run: ' "$1" | paste -s -d ';' - | sed 's/;not run: /; /g'
}

report() {
    local file=.build/apple-report.md log status began outcome failed=0 each
    mkdir -p .build/apple-logs
    {
        echo "### Ostiary on Apple's platforms"
        echo
        echo "| | |"
        echo "|---|---|"
        echo "| Ostiary | $(git rev-parse --short HEAD 2>/dev/null || echo unknown)$(
            [[ -z "$(git status --porcelain 2>/dev/null)" ]] || echo ', with changes') |"
        echo "| macOS | $(sw_vers -productVersion) ($(sw_vers -buildVersion)), $(uname -m) |"
        echo "| Xcode | $(xcodebuild -version | tr '\n' ' ') |"
        echo "| Swift | $(swift --version 2>/dev/null | head -n 1) |"
        echo
        echo "| Platform | Outcome | Seconds | Tests |"
        echo "|---|---|---|---|"
    } >"$file"
    for each in "$@"; do
        log=".build/apple-logs/$each.log"
        began=$SECONDS
        status=0
        # A shell of its own, so that the first failure ends this platform and no other.
        scripts/apple-mac.sh "$each" >"$log" 2>&1 || status=$?
        outcome=passed
        if [[ $status != 0 ]]; then
            outcome="failed with status $status"
            failed=1
        fi
        echo "| $each | $outcome | $((SECONDS - began)) | $(counted "$log") $(left_out "$log") |" >>"$file"
        echo "apple-mac: $each $outcome"
    done
    for each in "$@"; do
        log=".build/apple-logs/$each.log"
        [[ -n "$(first_errors "$log")" ]] || continue
        {
            echo
            echo "<details><summary>$each</summary>"
            echo
            echo '```'
            first_errors "$log"
            echo '```'
            echo
            echo "</details>"
        } >>"$file"
    done
    echo "apple-mac: the report is $file; each whole log is in .build/apple-logs"
    return $failed
}

if [[ "${1:-}" == report ]]; then
    shift
    if [[ $# == 0 || "$1" == all ]]; then set -- "${platforms[@]}"; fi
    for platform in "$@"; do
        [[ " ${platforms[*]} " == *" $platform "* ]] || run "$platform"
    done
    report "$@"
    exit
fi
if [[ $# == 0 ]]; then set -- macos ios example; fi
for platform in "$@"; do run "$platform"; done
