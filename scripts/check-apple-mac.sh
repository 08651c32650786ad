#!/usr/bin/env bash
# The command for a Mac does what it says, with programs that stand in for a Mac's: scripts/apple-mac.sh report.
set -euo pipefail
cd "$(dirname "$0")/.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/tree/scripts"
cp scripts/apple-mac.sh "$work/tree/scripts/"

# program NAME: its text comes from standard input.
program() {
    { echo '#!/usr/bin/env bash'; cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
program uname <<<'[[ "${1:-}" == -m ]] && echo arm64 || echo Darwin'
program sw_vers <<<'[[ "$1" == -productVersion ]] && echo 26.4 || echo 25E200'
program xcrun <<'EOF2'
cat <<JSON
{"devices": {
  "com.apple.CoreSimulator.SimRuntime.iOS-26-0": [{"udid": "OLD"}],
  "com.apple.CoreSimulator.SimRuntime.iOS-26-10": [{"udid": "NEW"}],
  "com.apple.CoreSimulator.SimRuntime.tvOS-26-0": [{"udid": "TV"}],
  "com.apple.CoreSimulator.SimRuntime.watchOS-26-0": [{"udid": "WATCH"}]}}
JSON
EOF2
program swift <<'EOF2'
echo "swift $*" >>"$CALLS"
case "$1" in
    --version) echo "Apple Swift version 6.3" ;;
    test) echo "✔ Test run with 7 tests in 2 suites passed after 1.0 seconds." ;;
esac
EOF2
program xcodebuild <<'EOF2'
echo "xcodebuild $*${OSTIARY_TESTS:+ with $OSTIARY_TESTS}" >>"$CALLS"
case "$*" in
    -version) printf 'Xcode 26.4\nBuild version 17E1\n' ;;
    *watchOS*) echo "$PWD/Sources/Ostiary/Sessions/Session.swift:3:5: error: cannot find 'Int' in scope"; exit 65 ;;
esac
EOF2

export CALLS="$work/calls"
export PATH="$work/bin:$PATH"
fail() { echo "apple-mac: $1"; sed 's/^/    /' "${2:-$page}"; exit 1; }
page="$work/tree/.build/apple-report.md"

status=0
(cd "$work/tree" && scripts/apple-mac.sh report) >"$work/out" 2>&1 || status=$?
[[ $status == 1 ]] || fail "a report with failures has status $status instead of 1" "$work/out"
for line in '| macOS | 26.4 (25E200), arm64 |' '| Xcode | Xcode 26.4 Build version 17E1  |' '| Swift | Apple Swift version 6.3 |' \
    '| macos | passed |' '| ios | passed |' '| tvos | passed |' '| watchos | failed with status 65 |' \
    '| visionos | failed with status 1 |' '| catalyst | passed |' '| example | passed |' '| keychain | passed |' \
    "not run: this Mac's keychains (OSTIARY_TEAM is not set); a phone's keychain" \
    'Test run with 7 tests in 2 suites passed' "Sources/Ostiary/Sessions/Session.swift:3:5: error: cannot find 'Int' in scope" \
    'There is no simulator of visionOS: xcodebuild -downloadPlatform visionOS'; do
    grep -qF -- "$line" "$page" || fail "the report lacks: $line"
done
grep -qF "$work" "$page" && fail "the report names a folder of the machine"
grep -qF 'platform=iOS Simulator,id=NEW' "$CALLS" || fail "the newest simulator is not taken" "$CALLS"
for destination in 'tvOS Simulator,id=TV' 'macOS,variant=Mac Catalyst'; do
    grep -qF -- "test -scheme ostiary-Package -destination platform=$destination" "$CALLS" ||
        fail "nothing is tested at $destination" "$CALLS"
done
grep -qE 'id=TV .* with AppleTests,AppleContracts,MainActorConsumer$' "$CALLS" ||
    fail "tests that are not for a television are compiled for it" "$CALLS"
grep -qF 'build -scheme OstiarySwiftUI -destination generic/platform=watchOS' "$CALLS" ||
    fail "nothing is built for a watch" "$CALLS"
grep -qE 'KeychainHost.*iOS Simulator,id=NEW.*CODE_SIGN_IDENTITY=-' "$CALLS" || fail "no host app runs in a simulator" "$CALLS"
grep -qE 'KeychainHost.*(platform=macOS|DEVELOPMENT_TEAM)' "$CALLS" && fail "a Mac's host app is signed without a team" "$CALLS"

: >"$CALLS"
(cd "$work/tree" && OSTIARY_TEAM=ABCDE12345 OSTIARY_DEVICE=PHONE scripts/apple-mac.sh report keychain) >"$work/out" 2>&1 ||
    fail "the host app of a team fails" "$work/out"
for destination in platform=macOS id=PHONE; do
    grep -qE "KeychainHost.*-destination $destination .*DEVELOPMENT_TEAM=ABCDE12345" "$CALLS" ||
        fail "no signed host app runs on $destination" "$CALLS"
done
grep -q 'not run' "$page" && fail "something is left out with a team and a phone"

status=0
(cd "$work/tree" && scripts/apple-mac.sh report macos ios) >"$work/out" 2>&1 || status=$?
[[ $status == 0 ]] || fail "a report without failures has status $status instead of 0" "$work/out"
grep -q 'watchos' "$page" && fail "a platform that was not named is in the report"
grep -q '<details>' "$page" && fail "a report without failures has errors"

status=0
: >"$CALLS"
(cd "$work/tree" && scripts/apple-mac.sh watchos example) >"$work/out" 2>&1 || status=$?
[[ $status == 65 ]] || fail "a failure has status $status instead of xcodebuild's 65" "$work/out"
grep -q 'SwiftUIApp' "$CALLS" && fail "a run without a report goes on after a failure" "$CALLS"

status=0
(cd "$work/tree" && scripts/apple-mac.sh report macos beos) >"$work/out" 2>&1 || status=$?
[[ $status == 2 ]] || fail "a wrong platform has status $status instead of 2" "$work/out"

# Nothing here opens a project of Xcode's: at least everything that it names is there.
python3 - Examples/SwiftUIApp/SwiftUIApp.xcodeproj Tests/AppleHost/KeychainHost.xcodeproj <<'EOF2'
import pathlib, re, sys

for project in map(pathlib.Path, sys.argv[1:]):
    text = (project / "project.pbxproj").read_text()
    scheme = next(project.glob("xcshareddata/xcschemes/*.xcscheme")).read_text()
    defined = set(re.findall(r"^\t\t([0-9A-F]{24})(?: /\*.*\*/)? = \{", text, re.M))
    missing = set(re.findall(r"\b[0-9A-F]{24}\b", text + scheme)) - defined
    if missing:
        sys.exit(f"{project}: not defined: {', '.join(sorted(missing))}")
    named = re.findall(r'[ \t]path = ([^;]+); sourceTree = "<group>"', text)
    named += re.findall(r"\t(?:CODE_SIGN_ENTITLEMENTS|INFOPLIST_FILE) = ([^;]+);", text)
    for path in named:
        if not (project.parent / path).exists():
            sys.exit(f"{project}: there is no {path}")
EOF2
if command -v shellcheck >/dev/null; then shellcheck -S warning scripts/apple-mac.sh; fi
echo "apple-mac: the report names each step, its outcome and its first errors; the projects are whole"
