#!/usr/bin/env bash
# Runs an older version of ostiary-backend and this one side by side on one database (docs/operations.md, "Upgrades").
#
#   scripts/upgrade.sh COMMIT     builds the program of that commit first
#   scripts/upgrade.sh PROGRAM    takes a program that is there
set -euo pipefail
cd "$(dirname "$0")/.."
[[ $# == 1 ]] || {
    echo "Usage: scripts/upgrade.sh COMMIT|PROGRAM" >&2
    exit 2
}
if [[ -x $1 && ! -d $1 ]]; then
    program="$(realpath "$1")"
else
    commit="$(git rev-parse --verify --quiet "$1^{commit}")" || {
        echo "$1 is neither a program nor a commit." >&2
        exit 2
    }
    tree="$(mktemp -d)"
    trap 'git worktree remove --force "$tree/older"; rm -rf "$tree"' EXIT
    git worktree add --quiet --detach "$tree/older" "$commit"
    swift build --package-path "$tree/older/Tools" --product ostiary-backend
    program="$tree/older/Tools/.build/debug/ostiary-backend"
fi
OSTIARY_OLD_BACKEND="$program" swift test --package-path Tools --filter UpgradeTests
