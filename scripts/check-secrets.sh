#!/usr/bin/env bash
# Nothing secret is printed: the SDK prints nothing at all, and what holds a secret is a Secret, which shows [redacted].
# That the types round it are redacted, too, is tested: "Printing … shows no …". What a whole life of a session prints, dumps
# and stores is searched for every secret of it (PlantedSecretsTests), as are the command line's whole output, the arguments,
# environments and memory of the processes round it (PlantedSecretsTranscripts), and all that processes write and show while
# they are killed and cut off (make stress).
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
code() { grep -rnE "$1" "${@:2}" --include=*.swift | grep -vE '^[^:]+:[0-9]+: *//'; }

# A log that goes nowhere prints nothing: a library that wants one is given it.
found="$(code '\b(print|debugPrint|dump|NSLog|os_log|Logger)\(|FileHandle\.standard(Output|Error)|\bfputs\(' Sources |
    grep -vE '^Sources/Ostiary/UserAgents/Manual/|SwiftLogNoOpLogHandler' || true)"
[[ -z "$found" ]] || { echo "The SDK prints nothing; these lines do:"; echo "$found"; failed=1; }

# A token, a secret, a password, a verifier or a code that is a String would be shown by whoever prints it.
# AppAuth's names are strings: there each is computed of a Secret, which is what the object holds.
found="$(code 'public (private\(set\) )?(let|var) ([a-z][A-Za-z]*)?([aA]ccessToken|[rR]efreshToken|[iI]dToken|[sS]ecret|[pP]assword|[vV]erifier|authorizationCode)[?]?: String' Sources Tools/Sources |
    grep -vE '^Sources/FrontDoors/AppAuth/.*reveal\(\)( })+$' || true)"
[[ -z "$found" ]] || { echo "Secrets that are plain strings:"; echo "$found"; failed=1; }

# Values that are compared with what an attacker sends are compared in constant time.
found="$(code '\b(state|nonce|csrf|verifier|challenge)(\.reveal\(\))? == |== (state|nonce|csrf|verifier|challenge)\b' Sources | grep -v '^Sources/OstiaryTesting/' || true)"
[[ -z "$found" ]] || { echo "Compared in a time that depends on the value:"; echo "$found"; failed=1; }
[[ $failed == 0 ]] && echo "secrets: ok"
exit $failed
