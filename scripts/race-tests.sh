#!/usr/bin/env bash
# Runs the tests of concurrency under the thread sanitizer; a race fails them.
set -euo pipefail
cd "$(dirname "$0")/.."
flags=(--sanitize=thread --scratch-path .build-tsan)
export OSTIARY_TESTS=OstiaryTests
swift build --product ostiaryPackageTests "${flags[@]}"
if [[ "$(uname)" == Linux ]]; then
    clang -O1 -Wall -shared -fPIC -o .build-tsan/tsan-mutex.so scripts/tsan-mutex.c -ldl
    export LD_PRELOAD="$PWD/.build-tsan/tsan-mutex.so"
fi
TSAN_OPTIONS="halt_on_error=0 exitcode=66" exec swift test --skip-build "${flags[@]}" --filter Concurrency
