#!/usr/bin/env bash
# Compiles what is written for Apple's platforms against the stand-ins in Platform/, in the shape of each, and runs its tests.
# apple.sh [ios|macos] [ARGUMENTS OF swift test…]
set -euo pipefail
cd "$(dirname "$0")/.."
platforms=(ios macos)
if [[ $# -gt 0 ]]; then
    platforms=("$1")
    shift
fi
for platform in "${platforms[@]}"; do
    export OSTIARY_APPLE="$platform"
    swift build --build-tests
    # There is one simulated device in a process.
    swift test --skip-build --no-parallel "$@"
done
