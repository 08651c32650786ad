#!/usr/bin/env bash
# Runs the command line's tests in Debian 13 (glibc 2.41), with the binaries that were built here, on Debian as root.
#
# A program that exits there while one of its threads reads C's standard input does not end before the input does. The tests
# keep standard input open for every command that reads a line, and end each by its time-out, SIGINT and SIGTERM.
# TESTS names the tests to run; default: the whole of the command line's.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/debian.sh
root="$PWD/.build-debian13/debian"
binary=Tools/.build/debug/ostiary-toolsPackageTests.xctest

[[ "$(id -u)" == 0 && -e /etc/debian_version ]] || { echo "make debian13 needs Debian and root." >&2; exit 1; }
[[ -x "$binary" ]] || { echo "There are no tests to run: swift build --package-path Tools --build-tests" >&2; exit 1; }
# What the binaries load, and what the tests start.
install_debian trixie "$root" ca-certificates dbus git gnome-keyring libcurl4t64 libsecret-1-0 libsqlite3-0 openssl \
    procps python3 tzdata zlib1g
# The binaries find Swift's libraries where they found them here.
mounts=("$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)".*/\1/p' | sed 's|\\/|/|g')")
echo "--- Debian $(cat "$root/etc/debian_version"), $(in_debian "$root" ldd --version | head -n 1), after $SECONDS s"
in_debian "$root" "$binary" --testing-library swift-testing --filter "${TESTS:-OstiaryCommandTests}"
echo "debian13: ok, after $SECONDS s"
