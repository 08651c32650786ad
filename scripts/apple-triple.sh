#!/usr/bin/env bash
# Compiles the libraries for a real triple of Apple's, past the data-race analysis: `#if os(…)` takes Apple's branch, and
# availability and the rules of app extensions are enforced. Nothing is generated, linked or run.
#
#   apple-triple.sh SYSTEM                       every library; for ios and macos once more as an app extension's
#   apple-triple.sh SYSTEM file FILE [FLAG…]     one file
#
# SYSTEM is ios, tvos, watchos, visionos or macos. Needs: OSTIARY_APPLE=macos swift build for the last, ios for the others. No SDK, header or binary of Apple's takes part: a Swift module says in one
# string which triple it is for, so copies of the modules that were built for Linux get a triple of the same length, and
# Clang goes on parsing C for Linux. This leans on the compiler's inside and is made for one version of it; a compiler that
# stops is a failure of this tool and of the check.
set -euo pipefail
cd "$(dirname "$0")/.."
platform="${1:?ios, tvos, watchos, visionos or macos}"
shift
# The folder has the stand-ins of every shape that was built in it, and each system has one of these.
case "$platform" in
    ios) name=ios version=16 absent=SimulatedAppKit shape=ios ;;
    tvos) name=tvos version=16 absent=SimulatedAppKit shape=ios ;;
    watchos) name=watchos version=9 absent=SimulatedAppKit shape=ios ;;
    visionos) name=xros version=1 absent=SimulatedAppKit shape=ios ;;
    macos) name=macosx version=13 absent=SimulatedUIKit shape=macos ;;
    *) echo "ios, tvos, watchos, visionos or macos, not $platform" >&2; exit 2 ;;
esac
built="$(swift build --show-bin-path)/Modules"
[[ -d "$built/SimulatedPlatform.swiftmodule" || -f "$built/SimulatedPlatform.swiftmodule" ]] ||
    { echo "build first: OSTIARY_APPLE=$shape swift build" >&2; exit 2; }
swiftc="$(command -v swiftc)"
usr="$(cd "$(dirname "$(readlink -f "$swiftc")")/.." && pwd)"
arch="$(uname -m)"
linux="$arch-unknown-linux-gnu"
triple="arm64-apple-$name$version.0"
file="arm64-apple-${name/macosx/macos}"
label="arm64-apple-$name$version."
while (( ${#label} < ${#linux} )); do label+=0; done
[[ ${#label} == "${#linux}" ]] || { echo "no triple of this length: $linux" >&2; exit 2; }
work=".build/apple-triple/$platform$version"
# What an app can link; the last ones are for its tests and its backend.
ours=(OstiaryCompatibility OstiaryJOSE OstiaryOAuth Ostiary OstiaryMigration OstiaryAutomation OstiaryAppAuth OstiaryCurity
    OstiaryLogi OstiaryLogto OstiarySSAFY OstiaryZephr OstiarySwiftUI OstiaryServer OstiaryProvider OstiaryProviderDialects OstiaryTesting
    OstiaryLogiServer OstiarySSAFYServer)
# Compiled without package access, as apps are.
strangers=(OstiaryAppAuth OstiaryCurity OstiaryLogi OstiaryLogto OstiarySSAFY OstiaryZephr OstiarySwiftUI OstiaryLogiServer
    OstiarySSAFYServer OstiaryAppAuthTests MainActorConsumer)
# The modules of the vendors' own SDKs, over the front doors.
for folder in Sources/VendorModules/*; do
    ours+=("$(basename "$folder")")
    strangers+=("$(basename "$folder")")
done
# The tests of the frameworks, and what they share: a Mac and every simulator run them. A Mac runs the others, too.
tests=(AppleWorld AppleTests AppleContracts MainActorConsumer)
case "$platform" in
    macos)
        tests+=(OstiaryCompatibilityTests OstiaryJOSETests OstiaryOAuthTests OstiaryServerTests OstiaryProviderTests OstiaryTests
            StoreProbe Conformance Replays FrontDoors OstiaryAppAuthTests SeedSnippets)
        ;;
    # Swift Testing comes as text, which the compiler does not compile beside the settings of an SDK.
    visionos) tests=() ;;
esac

prepare() {
    rm -rf "$work"
    mkdir -p "$work/modules" "$work/c"
    python3 - "$linux" "$label" "$file" "$work/modules" "$usr/lib/swift/linux" "$built" "$absent" \
        "$triple" <<'PY'
import pathlib, sys

old, new, file, out, toolchain, built, absent, triple = sys.argv[1:]
OURS = ("Ostiary", *(folder.name for folder in pathlib.Path("Sources/VendorModules").iterdir()))

def relabel(source, name):
    data = source.read_bytes()
    if old.encode() not in data:
        return
    folder = pathlib.Path(out, name + ".swiftmodule")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / (file + ".swiftmodule")).write_bytes(data.replace(old.encode(), new.encode(), 1))

for entry in sorted(pathlib.Path(toolchain).glob("*.swiftmodule")):
    if (entry / (old + ".swiftmodule")).exists():
        relabel(entry / (old + ".swiftmodule"), entry.stem)
# Swift Testing comes as text, which the compiler compiles for the triple.
interface = pathlib.Path(toolchain, "Testing.swiftmodule", old + ".swiftinterface")
folder = pathlib.Path(out, "Testing.swiftmodule")
folder.mkdir(parents=True, exist_ok=True)
(folder / (file + ".swiftinterface")).write_text(interface.read_text().replace(old, triple))
for entry in sorted(pathlib.Path(built).glob("*.swiftmodule")):
    if not entry.stem.startswith(OURS) and entry.stem != absent and entry.is_file():
        relabel(entry, entry.stem)
PY
    # Inlinable code of Foundation names functions of C; the compiler stops at one that is not declared.
    local header
    for header in assert ctype dirent errno fcntl limits locale math netdb poll pthread semaphore signal spawn stddef stdint stdio \
        stdlib string termios time unistd arpa/inet netinet/in netinet/tcp sys/file sys/ioctl sys/mman sys/socket sys/stat \
        sys/time sys/types sys/uio sys/un sys/wait; do
        echo "#include <$header.h>"
    done >"$work/c/stub.h"
    printf 'module %s [system] { header "stub.h" export * }\n' SwiftGlibc _FoundationCShims >"$work/c/module.modulemap"
    mkdir -p "$work/sdk"
    cat >"$work/sdk/SDKSettings.json" <<'JSON'
{"CanonicalName": "xros2.0", "DisplayName": "visionOS 2.0", "Version": "2.0", "MaximumDeploymentTarget": "2.0.99",
 "SupportedTargets": {"xros": {"PlatformFamilyName": "visionOS"}},
 "VersionMap": {
   "iOS_visionOS": {"8.0": "1.0", "9.0": "1.0", "10.0": "1.0", "11.0": "1.0", "11.3": "1.0", "12.0": "1.0", "13.0": "1.0",
     "13.4": "1.0", "14.0": "1.0", "15.0": "1.0", "16.0": "1.0", "16.4": "1.0", "17.0": "1.0", "17.4": "1.1", "18.0": "2.0"},
   "visionOS_iOS": {"1.0": "17.0", "1.1": "17.4", "2.0": "18.0"}}}
JSON
    # Darwin's C, for what stands behind canImport(Darwin).
    mkdir -p "$work/modules/Darwin.swiftmodule"
    "$swiftc" -emit-module -emit-module-path "$work/modules/Darwin.swiftmodule/$file.swiftmodule" -module-name Darwin \
        "${flags[@]}" Platform/Darwin/Darwin.swift
}

flags_for() {
    flags=(-swift-version 6 -parse-as-library -target "$triple" -I "$work/modules" -module-cache-path "$work/cache"
        -Xfrontend -disable-objc-interop -Xfrontend -import-module -Xfrontend SimulatedFoundation
        -Xcc -target -Xcc "$linux" -Xcc -isystem -Xcc "/usr/include/$arch-linux-gnu" -Xcc -isystem -Xcc /usr/include
        -Xcc -isystem -Xcc "$usr/lib/swift" -Xcc "-fmodule-map-file=$work/c/module.modulemap"
        -Xcc "-fmodule-map-file=Platform/Darwin/module.modulemap")
    local feature map module
    for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault \
        InferIsolatedConformances; do
        flags+=(-enable-upcoming-feature "$feature")
    done
    while IFS= read -r map; do flags+=(-Xcc "-fmodule-map-file=$map"); done < <(
        find .build/checkouts/swift-crypto/Sources -name module.modulemap)
    for module in "$built"/Simulated*.swiftmodule; do
        module="$(basename "$module" .swiftmodule)"
        case "$module" in
            SimulatedPlatform | SimulatedFoundation | "$absent") ;;
            *) flags+=(-module-alias "${module#Simulated}=$module") ;;
        esac
    done
}

# What only some systems need.
case "$platform" in
    # An API of iOS is one of visionOS, which the settings of an SDK say; the compiler takes objects of Dispatch for those of
    # Objective-C there, of which there are none here.
    visionos) system_flags=(-sdk "$work/sdk" -Xcc -UOS_OBJECT_HAVE_OBJC_SUPPORT) ;;
    *) system_flags=() ;;
esac

# sources MODULE: its files.
sources() {
    local name="${1#Ostiary}" folder
    local folders=("Sources/$1" "Sources/VendorModules/$1" "Sources/FrontDoors/$name" "Sources/ServerDoors/${name%Server}")
    [[ " ${tests[*]} " == *" $1 "* ]] && folders=("Tests/$1" "Tests/${1%Tests}")
    for folder in "${folders[@]}"; do
        [[ -d "$folder" && "$folder" != */ ]] && break
    done
    mkdir -p "$work/sources"
    local source
    while IFS= read -r source; do
        # The Foundation of Linux brings the C library of Linux. Of these files a copy is compiled that takes from it no more
        # than they use, and C from Darwin.
        case "$source" in
            */ChildProcess.swift | */LoopbackServerSocket.swift | */SealedFolderTests.swift)
                sed -E 's/^( *)import Foundation$/\1import Darwin\n\1import class Foundation.Thread\
\1import class Foundation.ProcessInfo\n\1import struct Foundation.POSIXError\
\1import enum Foundation.POSIXErrorCode/' "$source" >"$work/sources/${source##*/}"
                echo "$work/sources/${source##*/}"
                ;;
            *) echo "$source" ;;
        esac
    done < <(find "$folder" -name '*.swift' -not -path '*/SeedSnippets/Views/*' -not -path '*/SeedSnippets/Verbatim/*')
    find "$(dirname "$built")/$1.build" -name resource_bundle_accessor.swift 2>/dev/null || true
}

flags_for
flags+=("${system_flags[@]}")
if [[ "${1:-}" == file ]]; then
    [[ -d "$work/modules/Swift.swiftmodule" ]] || prepare
    shift
    exec "$swiftc" -emit-sil -o "$work/case.sil" -module-name Case "${flags[@]}" "$@"
fi
prepare
failed=()
# extension MODULE FLAG… FILE…: under the rules of app extensions, which are the same on each system. It goes on beside what follows;
# `extensions` waits for the last one.
running=""
extension() {
    extensions
    { "$swiftc" -emit-sil -wmo -o "$work/extension.sil" -module-name "$1" "${flags[@]}" -application-extension "${@:2}" \
        >"$work/extension.log" 2>&1 || { cat "$work/extension.log"; exit 1; }; } &
    running=$!
}
extensions() {
    [[ -z "$running" ]] || wait "$running"
    running=""
}
# settle COUNT: waits until no more than so many test targets are being checked.
checking=()
settle() {
    local module
    while (( ${#checking[@]} > $1 )); do
        module="${checking[0]#* }"
        wait "${checking[0]% *}" || failed+=("$module")
        cat "$work/$module.log"
        checking=("${checking[@]:1}")
    done
}
for module in "${ours[@]}" "${tests[@]}"; do
    more=()
    [[ " ${strangers[*]} " == *" $module "* ]] || more+=(-package-name ostiary)
    if [[ " ${tests[*]} " == *" $module "* ]]; then
        more+=(-enable-testing -plugin-path "$usr/lib/swift/host/plugins/testing")
        [[ "$module" == MainActorConsumer ]] && more+=(-default-isolation MainActor)
    fi
    mapfile -t files < <(sources "$module")
    mkdir -p "$work/modules/$module.swiftmodule"
    if [[ " ${tests[*]} " == *" $module "* && "$module" != AppleWorld ]]; then
        # Nothing imports one of these, so two go on at a time; each says what is wrong with it before this ends.
        settle 1
        "$swiftc" -typecheck -wmo -module-name "$module" "${flags[@]}" "${more[@]}" -warnings-as-errors "${files[@]}" \
            >"$work/$module.log" 2>&1 &
        checking+=("$! $module")
        continue
    fi
    # SIL is where the data-race analysis is. Tests read what is internal.
    "$swiftc" -emit-sil -wmo -o "$work/module.sil" -emit-module-path "$work/modules/$module.swiftmodule/$file.swiftmodule" \
        -module-name "$module" "${flags[@]}" "${more[@]}" -enable-testing -warnings-as-errors "${files[@]}"
    [[ "$platform" == ios || "$platform" == macos ]] || continue
    case "$module" in
        AppleWorld | OstiaryTesting | OstiaryProvider* | *Server) continue ;;
    esac
    extension "$module" "${more[@]}" "${files[@]}"
done
extensions
settle 0
[[ ${#failed[@]} == 0 ]] || { echo "apple-triple: for $triple these fail: ${failed[*]}"; exit 1; }
extension=""
[[ "$platform" == ios || "$platform" == macos ]] && extension=", the former also as an app extension's"
echo "apple-triple: ${#ours[@]} libraries and ${#tests[@]} test targets for $triple$extension"
