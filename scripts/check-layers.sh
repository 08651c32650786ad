#!/usr/bin/env bash
# The arrows of the architecture point down, and the core stays pure.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
complain() {
    echo "$1"
    failed=1
}

# A module imports only what stands below it, and what older systems lack: OstiaryCompatibility, below everything.
allowed() {
    local module="$1" pattern="$2"
    local found
    found="$(grep -rnE "^[^/]*\bimport (struct |enum |func |class )?Ostiary[A-Za-z]*" "Sources/$module" --include=*.swift |
        grep -vE "import (struct |enum |func |class )?($pattern|OstiaryCompatibility)( |\$|\.)" || true)"
    [[ -z "$found" ]] || complain "$module imports a module that is not below it:
$found"
}
allowed OstiaryCompatibility 'NothingOfOurs'
allowed OstiaryJOSE 'NothingOfOurs'
allowed OstiaryOAuth 'OstiaryJOSE'
allowed Ostiary 'OstiaryOAuth|OstiaryJOSE'
allowed OstiarySwiftUI 'Ostiary|OstiaryOAuth|OstiaryJOSE'
allowed OstiaryMigration 'Ostiary|OstiaryOAuth|OstiaryJOSE'
allowed OstiaryAutomation 'Ostiary|OstiaryOAuth'
allowed OstiaryAsyncHTTPClient 'OstiaryOAuth'
allowed OstiaryProvider 'OstiaryOAuth|OstiaryJOSE'
allowed OstiaryProviderDialects 'OstiaryProvider|OstiaryOAuth|OstiaryJOSE'
allowed OstiaryTesting 'Ostiary|OstiaryAutomation|OstiaryServer|OstiaryProvider|OstiaryOAuth|OstiaryJOSE'
for door in Sources/FrontDoors/*; do allowed "FrontDoors/$(basename "$door")" 'Ostiary|OstiaryMigration|OstiaryOAuth|OstiaryJOSE'; done
for door in Sources/ServerDoors/*; do
    allowed "ServerDoors/$(basename "$door")" "Ostiary$(basename "$door")|OstiaryServer|Ostiary|OstiaryOAuth|OstiaryJOSE"
done
for module in Sources/VendorModules/*; do
    allowed "VendorModules/$(basename "$module")" 'OstiaryLog(i|to)|OstiaryOAuth|OstiaryJOSE'
done
[[ -d Sources/OstiaryServer ]] && allowed OstiaryServer 'OstiaryOAuth|OstiaryJOSE'
for store in OstiarySQLite OstiaryPostgreSQL OstiaryValkey; do allowed $store 'OstiaryServer|OstiaryOAuth|OstiaryJOSE'; done
allowed OstiaryObservability 'OstiaryServer|OstiaryOAuth|OstiaryJOSE'
for adapter in OstiaryHummingbird OstiaryVapor; do
    allowed $adapter 'OstiaryObservability|OstiaryServer|OstiaryOAuth|OstiaryJOSE'
done

# JOSE and OAuth: no I/O, no clock, no randomness of their own, nothing printed.
for module in OstiaryJOSE OstiaryOAuth; do
    found="$(grep -rnE 'FoundationNetworking|URLSession|FileManager|FileHandle|\bDate\(\)|Date\.now|SystemRandomNumberGenerator|[A-Za-z]\.random\((in|using)|ProcessInfo|ContinuousClock|\bprint\(|Dispatch|Glibc|Darwin' "Sources/$module" --include=*.swift |
        grep -vE '^[^:]+:[0-9]+: *//' | grep -v '^Sources/OstiaryJOSE/NamedCheck.swift:.*OSTIARY_MUTANT' || true)"
    [[ -z "$found" ]] || complain "$module has I/O, a clock or randomness of its own:
$found"
    # Foundation itself is loaded by nobody who can do with its essentials.
    found="$(grep -rlE '^ *(public |package )?import Foundation$' "Sources/$module" --include=*.swift |
        xargs -r grep -L 'canImport(FoundationEssentials)' || true)"
    [[ -z "$found" ]] || complain "$module imports Foundation where its essentials would do: $found"
done

# FoundationNetworking: in one place, and where the core of Logto's SDK has URLSession in its API.
found="$(grep -rlE 'import FoundationNetworking' Sources --include=*.swift |
    grep -vE '^Sources/(Ostiary/Transport|FrontDoors/Logto/Vendor)/' || true)"
[[ -z "$found" ]] || complain "FoundationNetworking outside Sources/Ostiary/Transport: $found"

# The front doors are written against the public API, as a stranger's would be.
found="$(grep -rnE '^ *package |@_spi|@testable' Sources/FrontDoors Sources/VendorModules Sources/ServerDoors Sources/OstiarySwiftUI --include=*.swift || true)"
[[ -z "$found" ]] || complain "A front door or the views with more than the public API:
$found"

# No vendor's name below the front doors, but in the development provider's dialects, which speak theirs, in the values that
# describe the manners of providers, the forms of their access tokens and their ID tokens, and in the readers of what other SDKs
# kept, which are named after them.
found="$(grep -rniE '\b(logi|1pass|logto|curity|ssafy|zephr|blaize|google|auth0|okta|keycloak|entra|azure)\b' Sources --include=*.swift |
    grep -vE '^Sources/(FrontDoors|VendorModules|ServerDoors|OstiaryProviderDialects|OstiaryProvider/Manners|OstiaryMigration|OstiaryServer/AccessToken/Profile|OstiaryServer/IDTokens/Issuers)/' || true)"
[[ -z "$found" ]] || complain "A vendor's name below the front doors:
$found"

# Nothing in Sources knows that tests exist, traps on purpose, or steps round the checker, but for two reviewed boxes.
found="$(grep -rnE '@testable|canImport\((XCTest|Testing)\)|\bfatalError\(|try!|@unchecked Sendable|nonisolated\(unsafe\)' Sources --include=*.swift |
    grep -vE '^[^:]+:[0-9]+: *//' |
    grep -v '^Sources/Ostiary/UserAgents/Apple/Activations.swift:.*@unchecked Sendable' |
    grep -v '^Sources/OstiaryCompatibility/Lock.swift:.*@unchecked Sendable' || true)"
[[ -z "$found" ]] || complain "Test hooks, traps or unchecked concurrency in Sources:
$found"
# A folder's listing reads like a table of contents: at most twelve files.
found="$(find Sources Tools/Sources -name '*.swift' | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 12')"
[[ -z "$found" ]] || complain "More than twelve files in a folder; merge small ones, or give an idea a folder of its own:
$found"
# Few files under 25 lines: a small one belongs to the file of the type that it extends, or that alone uses it. What a module
# passes on is a file of its own, and so are the names of a vendor's module.
short() {
    local found
    found="$(find "$1" -name '*.swift' ! -name Exports.swift ! -path '*/VendorModules/*' -exec awk 'END { if (NR < 25) print FILENAME }' {} \;)"
    [[ "$(grep -c . <<<"$found")" -le "$2" ]] || complain "More than $2 files under 25 lines in $1; merge the newest into its owner:
$found"
}
short Sources 40
short Tools/Sources 55

# What an app developer reads in completion.
scripts/public-types.py || failed=1
[[ $failed == 0 ]] && echo "layers: ok"
exit $failed
