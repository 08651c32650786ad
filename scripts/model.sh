#!/usr/bin/env bash
# Checks the model of a shared session with spin: every order of events keeps the rules, and each known mistake breaks one.
set -euo pipefail
cd "$(dirname "$0")/.."
model="$PWD/Models/refresh.pml"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

# check MISTAKE: what spin finds with a mistake in the model, or without one.
check() {
    spin ${1:+"-D$1"} -a "$model" >spin.log || { cat spin.log >&2; exit 1; }
    gcc -O2 -DSAFETY -DVECTORSZ=2048 -o pan pan.c
    ./pan -m100000 >pan.log
    if grep -q 'max search depth too small' pan.log; then
        echo "the search did not go deep enough" >&2
        exit 1
    fi
    sed -nE 's/.*errors: ([0-9]+)$/\1/p' pan.log
}

errors="$(check "")"
if [[ "$errors" != 0 ]]; then
    cat pan.log
    ./pan -r || true
    echo "the model breaks a rule"
    exit 1
fi
states="$(sed -nE 's/^ *([0-9.e+]+) states, stored.*/\1/p' pan.log)"
caught=0
# Each macro of the model is a mistake.
for mistake in $(sed -nE 's/^#if(n)?def ([A-Z_]+)$/\2/p' "$model" | sort -u); do
    if [[ "$(check "$mistake")" == 0 ]]; then
        echo "spin does not find anything wrong with $mistake"
        exit 1
    fi
    caught=$((caught + 1))
done
echo "model: $states states keep the rules, and each of $caught mistakes breaks one"
