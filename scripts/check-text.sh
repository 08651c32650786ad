#!/usr/bin/env bash
# Text in the project is about the project: no path of one machine, nothing left for later, no secret-looking file.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
# The patterns are split so that this file does not contain them.
machine='/wo''rk/|/fa''rm/|/ro''ot/|\.\./sha''red|/tmp/ba''sh'
later='\b(TO''DO|FIX''ME|XX''X|HA''CK)\b|not impl''emented'
for pattern in "$machine" "$later"; do
    found="$(git grep -nE "$pattern" -- . || true)"
    [[ -z "$found" ]] || { echo "$found"; failed=1; }
done
found="$(git ls-files | grep -E '\.(pem|key|p12|sqlite|png|jpg|zip|xcuserstate)$|(^|/)\.build|Package\.resolved' || true)"
[[ -z "$found" ]] || { echo "Files that do not belong here: $found"; failed=1; }
[[ $failed == 0 ]] && echo "text: ok"
exit $failed
