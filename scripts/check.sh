#!/usr/bin/env bash
# Every rule, one script each. The slow ones (build, tests) are make targets of their own.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
for script in scripts/check-*.sh; do
    "$script" || failed=1
done
[[ $failed == 0 ]] && echo "all checks: ok"
exit $failed
