#!/usr/bin/env bash
# Builds and tests with the oldest compiler that the manifests name, Swift 6.2.
#
# TOOLCHAIN names the folder of its bin/ or usr/bin/. Without it, on Debian as root, the swiftlang package of Debian unstable
# is installed into a folder of its own, .build-oldest/debian, and everything runs in there.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/debian.sh
here="$PWD"
work="$here/.build-oldest"
debian="$work/debian"
export SWIFT_DETERMINISTIC_HASHING=1

fail() {
    echo "$1" >&2
    exit 1
}

install_toolchain() {
    [[ "$(id -u)" == 0 && -e /etc/debian_version ]] ||
        fail "Name a Swift 6.2 toolchain: make oldest TOOLCHAIN=/path/to/toolchain"
    install_debian unstable "$debian" swiftlang git ca-certificates make libsqlite3-dev zlib1g-dev pkgconf openssl curl \
        python3 g++ procps dbus gnome-keyring libsecret-1-0 || fail "Debian unstable cannot be installed."
    # Swift Testing of that package names an archive that is not in it.
    printf '!<arch>\n' >"$debian/usr/libexec/swift/lib/swift/linux/lib_Testing_Foundation.a"
}

if [[ "${1:-}" != inside ]]; then
    mkdir -p "$work"
    if [[ -n "${TOOLCHAIN:-}" ]]; then
        for folder in "$TOOLCHAIN/usr/bin" "$TOOLCHAIN/bin" "$TOOLCHAIN"; do
            [[ -x "$folder/swift" ]] || continue
            export PATH="$folder:$PATH"
            scripts/setup.sh
            exec scripts/oldest.sh inside
        done
        fail "There is no swift in $TOOLCHAIN."
    fi
    install_toolchain
    echo "--- Debian unstable with its swiftlang, after $SECONDS s"
    cp /etc/gitconfig "$debian/etc/gitconfig" 2>/dev/null || true
    mkdir -p "$debian$HOME"
    cp "$HOME/.gitconfig" "$debian$HOME/.gitconfig" 2>/dev/null || true
    in_debian "$debian" env OLDEST_START="$SECONDS" scripts/oldest.sh inside
    exit
fi

# From here on swift is the compiler to try.
SECONDS="${OLDEST_START:-0}"
version="$(swift --version 2>&1 | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p' | head -n 1)"
[[ "$version" == 6.2.* ]] || fail "Swift ${version:-?} was found and 6.2.1 or a later 6.2 is expected. Name one: make oldest TOOLCHAIN=/path/to/toolchain"
echo "--- Swift $version"

# step NAME COMMAND…: says nothing of what passes.
step() {
    local name="$1" log="$work/step.log"
    shift
    "$@" >"$log" 2>&1 || {
        # Without the starts of tests, whose names tell of failures. Not to the first 40 lines only: grep would end by a signal.
        grep -v ' started\.$' "$log" | grep -E '^. Test .*(recorded an issue|failed)|^↳|error:' || true
        tail -n 20 "$log"
        fail "FAILED with Swift $version: $name"
    }
    # Warnings of ours; what is below a build folder is a dependency's.
    ! grep -E "^($here|Sources|Tests|Tools|Examples|Platform|Benchmarks).*warning:" "$log" | grep -vE "/\.build|Tests/SeedSnippets/Verbatim" ||
        fail "Warnings with Swift $version: $name"
    echo "ok: $name$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/ (\1 tests)/p' "$log" | tail -n 1), after $SECONDS s"
}

for manifest in . Tools Benchmarks Examples/*/; do
    [[ -e "$manifest/Package.swift" ]] || continue
    step "the manifest of $manifest" timeout 60 swift package --package-path "$manifest" --scratch-path "$work/manifests" \
        --manifest-cache none dump-package
done
libraries=(--scratch-path "$work/libraries")
tools=(--package-path Tools --scratch-path "$work/tools")
busy="SimulationTests|DefaultStoreTests|SealingKeyTests|FileStoreTests|StoreFaultTests|SecretServiceTests|ProcessLockTests|SessionArchiveTests"
timed="URLSessionTransportTests|HTTPTransportCheckTests"
step "build the libraries and their tests" swift build "${libraries[@]}" --build-tests
step "test the libraries" swift test "${libraries[@]}" --skip-build --parallel --skip "$timed|$busy"
step "test the stores and the simulation" swift test "${libraries[@]}" --skip-build --no-parallel --filter "$busy"
step "test the transport of the libraries" swift test "${libraries[@]}" --skip-build --filter "$timed"
for example in ThirdPartyFrontDoor LinuxCommand; do
    step "test Examples/$example" swift test --package-path "Examples/$example" "${libraries[@]}"
done
for shape in ios macos; do
    step "compile Apple's code in the shape of $shape" env OSTIARY_APPLE=$shape swift build "${libraries[@]}" --build-tests
done
step "an app of its own" scripts/check-consumer.sh build "$work/consumer"
step "build the tools and their tests" swift build "${tools[@]}" --build-tests
step "test the command line" swift test "${tools[@]}" --skip-build --filter OstiaryCommandTests
step "demo" timeout 120 "$work/tools/debug/ostiary" demo
# In the folder of the tools, with the versions that were resolved there: nothing of theirs is compiled again.
for example in Backend VaporBackend; do
    step "versions of Examples/$example" cp Tools/Package.resolved "Examples/$example/Package.resolved"
    step "test Examples/$example" swift test --package-path "Examples/$example" --scratch-path "$work/tools"
done
step "build the benchmarks" swift build --package-path Benchmarks --scratch-path "$work/benchmarks"
echo "Swift $version: ok, after $SECONDS s"
