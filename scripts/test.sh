#!/usr/bin/env bash
# Runs every test that CI needs and adds up what they say. What failed is said once more at the end, for whoever sees only
# the end of a long log. The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.."
# See the Makefile.
export SWIFT_DETERMINISTIC_HASHING=1
passed=0
failed=0
logs="$(mktemp -d)"
trap 'rm -rf "$logs"' EXIT

# begin NAME: says which step begins, and when: seconds, and seconds of processor time of what has ended.
begin() {
    # In this shell: one below it has other children.
    times >"$logs/times"
    echo "--- $1, after $SECONDS s, $(tail -n 1 "$logs/times" | awk -F '[ms ]+' '{ print int(($1 + $3) * 60 + $2 + $4) }') s of processor time"
}

# failure NAME: says what failed, now and, with the lines of its input, at the end.
failure() {
    echo "FAILED: $1"
    { echo "FAILED: $1"; sed 's/^/    /'; } >>"$logs/failures"
}

# step NAME COMMAND…: a step that counts as one test.
step() {
    local name="$1" log="$logs/step"
    shift
    begin "$name"
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        tail -n 1 "$log"
    else
        failed=$((failed + 1))
        tail -n 60 "$log"
        tail -n 20 "$log" | failure "$name"
    fi
}

# suite NAME COMMAND…: a run of swift test, whose own tests count.
suite() {
    local name="$1" log="$logs/suite"
    shift
    begin "$name"
    local status=0
    "$@" >"$log" 2>&1 || status=$?
    cat "$log" >>"$logs/suites"
    local total
    total="$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/\1/p' "$log" | tail -n 1)"
    local broken
    broken="$(grep -E '^. Test .* failed after [0-9]' "$log" | grep -cvE '^. Test run with')"
    if [[ -z "$total" || "$total" == 0 ]] || { [[ $status != 0 ]] && [[ "$broken" == 0 ]]; }; then
        tail -n 60 "$log"
        tail -n 20 "$log" | failure "$name did not run to its end"
        failed=$((failed + 1))
        return
    fi
    if [[ "$broken" != 0 ]]; then
        # With the lines below an issue, which begin with its own sign and say what the values were; without the starts of tests,
        # whose names tell of failures, too.
        grep -v ' started\.$' "$log" >"$log.ends"
        grep -E '^. (Test|Suite) .*(recorded an issue|failed)|^. Test run|^↳|error:' "$log.ends"
        grep -E '^. Test .*(recorded an issue|failed)|^↳' "$log.ends" | head -n 40 | failure "$broken in $name"
    fi
    passed=$((passed + total - broken))
    failed=$((failed + broken))
    echo "$((total - broken)) passed, $broken failed in $name"
}

# ended PROCESS LOG: what a process that was started before has said, and its status.
ended() {
    local status=0
    wait "$1" || status=$?
    cat "$2"
    return "$status"
}

step "build" swift build --build-tests
# Vectors of signatures that are no part of the project; the suite of the libraries reads them.
step "public vectors of signatures" scripts/suites.sh vectors
OSTIARY_SIGNATURE_VECTORS="$(scripts/suites.sh vectors)"
export OSTIARY_SIGNATURE_VECTORS
# Apart, since it is measured how soon a transport stops reading, and how long it waits.
timed="URLSessionTransportTests|HTTPTransportCheckTests"
# Apart, since they keep every core busy or wait for the disk, and others measure how soon they are answered.
busy="SimulationTests|DefaultStoreTests|SealingKeyTests|FileStoreTests|StoreFaultTests|SecretServiceTests|ProcessLockTests|SessionArchiveTests"
suite "the libraries" swift test --skip-build --parallel --skip "$timed|$busy"
suite "the stores and the simulation" swift test --skip-build --no-parallel --filter "$busy"
step "what the front doors' tests show" scripts/front-doors.py "$logs/suites"
step "the outcome of each failure" scripts/failure-table.py "$logs/suites"
step "the model of a shared session" scripts/model.sh
suite "the transport of the libraries" swift test --skip-build --filter "$timed"
# In a folder of its own and beside all that follows, of which much keeps one core busy. What measures a deadline comes before it
# or after its end.
swift build --package-path Tools --build-tests >"$logs/tools" 2>&1 &
tools=$!
for check in scripts/check-*.sh; do
    # This one runs ostiary-backend.
    [[ "$check" == scripts/check-deployment.sh ]] || step "$(basename "$check" .sh)" "$check"
done
step "the site of the documentation" scripts/docs.py
# The same beginning each time: new finds are for `make fuzz`, not for whoever changes something else.
# Both build in folders of their own, side by side.
scripts/sanitized-tests.sh thread >"$logs/races" 2>&1 &
races=$!
step "fuzzers, ten seconds each" env FUZZ_SEED=1 scripts/fuzz.sh FUZZ_SECONDS=10
suite "concurrency under the thread sanitizer" ended "$races" "$logs/races"
# In the folder of the libraries: nothing of theirs is compiled again.
suite "a stranger's front door" swift test --package-path Examples/ThirdPartyFrontDoor --scratch-path .build
suite "a command of one's own" swift test --package-path Examples/LinuxCommand --scratch-path .build
# The same folder in two more shapes; the last that is built in it.
step "what a Mac runs, too, is apart from the simulated device" scripts/apple.sh apart
step "nothing of Apple's in a build for Linux" scripts/apple.sh none
for shape in ios macos; do
    suite "Apple's platforms in the shape of $shape" scripts/apple.sh tests "$shape"
    step "Apple's triples in the shape of $shape" scripts/apple.sh triples "$shape"
done
step "the code of the front doors' pages" scripts/check-pages.py --apple
step "what people asked for on Apple's platforms" scripts/apple-rows.py
step "build the tools" ended "$tools" "$logs/tools"
step "check-deployment" scripts/check-deployment.sh
suite "the tools" swift test --package-path Tools --skip-build --skip "TransportTests|BackendTests|OstiaryCommandTests"
suite "the command line" swift test --package-path Tools --skip-build --filter OstiaryCommandTests
step "the transcripts of each command" timeout 300 scripts/transcripts.py
# In the folder of the tools, with the versions that were resolved there: nothing of theirs is compiled again.
for example in Backend VaporBackend; do
    step "versions of Examples/$example" cp Tools/Package.resolved Examples/$example/Package.resolved
    suite "Examples/$example" swift test --package-path Examples/$example --scratch-path Tools/.build
done
step "build the tools again" swift build --package-path Tools --build-tests
step "the code of the pages about servers" scripts/check-pages.py --server
# Apart, since databases are killed in it, and deadlines are measured.
suite "the stores of a backend" swift test --package-path Tools --skip-build --no-parallel --filter BackendTests
# Apart, since deadlines are measured.
suite "the transport for servers" swift test --package-path Tools --skip-build --filter TransportTests
step "processes that share a session" timeout 240 Tools/.build/debug/session-stress --refreshes 60 --kills 6 \
    --repetitions 0 --outage 1
step "instances that are killed, replaced and cut off under load" env SCALE=0.01 BUILT=yes timeout 600 scripts/scale.sh
step "the provider, killed under load" timeout 120 scripts/kill-provider.py 1
step "memory and descriptors of the provider and the service, for some seconds" timeout 120 scripts/soak.py 0.3
step "demo" timeout 120 Tools/.build/debug/ostiary demo
for system in curity logi logto ssafy zephr; do
    step "demo of $system" timeout 120 Tools/.build/debug/ostiary demo --system "$system"
done
step "the commands of the front doors' pages" timeout 600 scripts/check-pages.py --commands

begin "the end"
[[ $failed == 0 ]] || cat "$logs/failures"
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
