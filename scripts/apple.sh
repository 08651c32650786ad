#!/usr/bin/env bash
# Compiles what is written for Apple's platforms against the stand-ins in Platform/, in the shape of each, warnings as errors,
# and runs its tests; then compiles the libraries for real triples, and what must not compile.
#
#   apple.sh                                    everything: without the switch, and in both shapes
#   apple.sh tests ios|macos [ARGUMENTS…]       the tests of one shape; the arguments go to swift test
#   apple.sh triples ios|macos                  the triples and what must not compile, after the tests of that shape
#   apple.sh none                               without the switch the Apple tests are empty, after an ordinary build
#   apple.sh apart                              what a Mac runs, too, knows nothing of the simulated device
#
# Whole runs note what passed in .build/apple-events, for scripts/apple-rows.py.
set -euo pipefail
cd "$(dirname "$0")/.."
events=.build/apple-events

run_tests() {
    export OSTIARY_APPLE="$1"
    shift
    local notes=()
    if [[ $# == 0 ]]; then
        mkdir -p "$events"
        notes=(--event-stream-output-path "$events/$OSTIARY_APPLE.jsonl")
    fi
    swift build --build-tests
    # There is one simulated device in a process.
    swift test --skip-build --no-parallel "${notes[@]}" "$@"
}

triples() {
    export OSTIARY_APPLE="$1"
    local systems=("$1")
    [[ "$1" == ios ]] && systems+=(tvos watchos visionos)
    # The compiler sees a whole module at a time, with one thread: two systems keep two processors busy.
    printf '%s\n' "${systems[@]}" | xargs -n 1 -P 2 scripts/apple-triple.sh
    scripts/apple-must-not-compile.sh "$1"
}

none() {
    mkdir -p "$events"
    # What is left are tests of values that every platform has; a test of the device would be one that ran on Linux.
    local found
    found="$(env -u OSTIARY_APPLE swift test list --skip-build --event-stream-output-path "$events/linux.jsonl" |
        grep -E '^(Apple(Tests|Contracts|Simulated)|MainActorSimulated)\.' || true)"
    [[ -z "$found" ]] || { echo "compiled without the stand-ins:"; echo "$found"; exit 1; }
    echo "apple: nothing of it in a build for Linux"
}

# The import of a stand-in, or of what scripts it, in what a Mac compiles against the real frameworks.
apart() {
    local folders=(Tests/Apple Tests/AppleContracts Tests/AppleWorld Tests/MainActorConsumer Sources Examples/SwiftUIApp)
    local found
    found="$(grep -rnE 'Simulated(Platform|Device|ViewHost|Foundation)|(import|canImport\()[[:space:]]*Simulated' \
        --include='*.swift' "${folders[@]}" || true)"
    [[ -z "$found" ]] || { echo "a Mac has no simulated device:"; echo "$found"; exit 1; }
    echo "apple: what a Mac runs knows nothing of the simulated device"
}

case "${1:-all}" in
    tests) run_tests "${@:2}" ;;
    triples) triples "${2:?ios or macos}" ;;
    none) none ;;
    apart) apart ;;
    all)
        apart
        env -u OSTIARY_APPLE swift build --build-tests
        none
        for platform in ios macos; do
            run_tests "$platform"
            triples "$platform"
        done
        ;;
    *) run_tests "$@" ;;
esac
