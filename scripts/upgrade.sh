#!/usr/bin/env bash
# Runs an older version of ostiary-backend and this one side by side on one database (docs/operations.md, "Upgrades").
#
#   scripts/upgrade.sh            builds the last program whose tables were older
#   scripts/upgrade.sh COMMIT     builds the program of that commit first
#   scripts/upgrade.sh PROGRAM    takes a program that is there
#
# It needs the repository's history, PostgreSQL, and the packages that the older program was built with.
set -euo pipefail
cd "$(dirname "$0")/.."
(($# <= 1)) || {
    echo "Usage: scripts/upgrade.sh [COMMIT|PROGRAM]" >&2
    exit 2
}
schema=Sources/OstiaryPostgreSQL/Store/PostgreSQLSchema.swift
# The number of changes that make the tables, of a schema's file: other edits of the file leave the tables as they are.
changes() { sed -n '/static let changes/,/^        \]/p' | grep -cE '^ {12}("""$|"[^"])' || true; }
if [[ $# == 0 || -z $1 ]]; then
    now="$(changes <"$schema")"
    older=""
    for commit in $(git log --format=%H -- "$schema"); do
        git rev-parse --verify --quiet "$commit^" >/dev/null || break
        older="$commit^"
        [[ "$(git show "$older:$schema" 2>/dev/null | changes)" == "$now" ]] || break
        older=""
    done
    [[ -n $older ]] || {
        echo "The history ends before the last change of the tables. Run: git fetch --unshallow" >&2
        exit 2
    }
    set -- "$older"
fi
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
