#!/usr/bin/env bash
# Compiles what is written for Apple's platforms against the stand-ins in Platform/, in the shape of each, warnings as errors,
# and runs its tests; then compiles the libraries for real triples, and what must not compile.
#
#   apple.sh                                    everything, both shapes
#   apple.sh tests ios|macos [ARGUMENTS…]       the tests of one shape; the arguments go to swift test
#   apple.sh triples ios|macos                  the triples and what must not compile, after the tests of that shape
#   apple.sh none                               without the switch the Apple tests are empty, after an ordinary build
set -euo pipefail
cd "$(dirname "$0")/.."

run_tests() {
    export OSTIARY_APPLE="$1"
    shift
    swift build --build-tests
    # There is one simulated device in a process.
    swift test --skip-build --no-parallel "$@"
}

triples() {
    export OSTIARY_APPLE="$1"
    scripts/apple-triple.sh "$1"
    scripts/apple-must-not-compile.sh "$1"
}

none() {
    # What is left are tests of values that every platform has; a test of the device would be one that ran on Linux.
    local found
    found="$(env -u OSTIARY_APPLE swift test list --skip-build | grep -E '^Apple(Tests|Contracts)\.' || true)"
    [[ -z "$found" ]] || { echo "compiled without the stand-ins:"; echo "$found"; exit 1; }
    echo "apple: nothing of it in a build for Linux"
}

case "${1:-all}" in
    tests) run_tests "${@:2}" ;;
    triples) triples "${2:?ios or macos}" ;;
    none) none ;;
    all)
        for platform in ios macos; do
            run_tests "$platform"
            triples "$platform"
        done
        ;;
    *) run_tests "$@" ;;
esac
