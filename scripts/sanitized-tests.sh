#!/usr/bin/env bash
# Runs tests under a sanitizer; what it finds fails them.
#
#   scripts/sanitized-tests.sh thread     the tests of concurrency
#   scripts/sanitized-tests.sh address    the tests of the libraries, but for those that measure times or memory
set -euo pipefail
cd "$(dirname "$0")/.."
kind="${1:?thread or address}"
flags=(--sanitize="$kind" --scratch-path ".build-$kind")
case "$kind" in
thread)
    export OSTIARY_TESTS=OstiaryTests
    selection=(--filter Concurrency)
    export TSAN_OPTIONS="halt_on_error=0 exitcode=66"
    ;;
address)
    # Without the tests whose processes or deadlines a sanitized program does not keep, and without the search for leaks,
    # which takes what the runtime keeps for good for one.
    selection=(--skip "SimulationTests|URLSessionTransportTests|HTTPTransportCheckTests|SealingKeyTests|ProcessLockTests")
    export ASAN_OPTIONS="detect_leaks=0 abort_on_error=0 exitcode=66"
    ;;
*)
    echo "\"$kind\" is no sanitizer. Run: scripts/sanitized-tests.sh thread" >&2
    exit 64
    ;;
esac
swift build --product ostiaryPackageTests "${flags[@]}"
if [[ "$kind" == thread && "$(uname)" == Linux ]]; then
    clang -O1 -Wall -shared -fPIC -o .build-thread/tsan-mutex.so scripts/tsan-mutex.c -ldl
    export LD_PRELOAD="$PWD/.build-thread/tsan-mutex.so"
fi
exec swift test --skip-build "${flags[@]}" "${selection[@]}"
