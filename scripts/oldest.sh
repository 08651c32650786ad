#!/usr/bin/env bash
# Builds and tests with the oldest compiler that the manifests name, Swift 6.2.
#
# TOOLCHAIN names the folder of its bin/ or usr/bin/. Without it, on Debian as root, the swiftlang package of Debian unstable
# is installed into a folder of its own, .build-oldest/debian, and everything runs in there.
set -euo pipefail
cd "$(dirname "$0")/.."
here="$PWD"
work="$here/.build-oldest"
debian="$work/debian"
export SWIFT_DETERMINISTIC_HASHING=1

fail() {
    echo "$1" >&2
    exit 1
}

# in_debian COMMAND…: runs it in the installed system, with this folder at the same path. The mounts end with it.
in_debian() {
    # A git that reads packages from folders of this machine finds them there, too.
    local folders=("$here")
    while read -r folder; do folders+=("$folder"); done < <(
        git config --get-regexp '^url\.file://.*\.insteadof$' | sed -E 's|^url\.file://(/.*)\.insteadof .*|\1|' | sort -u
    )
    unshare --mount --propagation private bash -c '
        set -e
        debian="$1" here="$2" count="$3"; shift 3
        mount --bind /proc "$debian/proc"
        mount --bind /dev "$debian/dev"
        while [ "$count" -gt 0 ]; do
            mkdir -p "$debian$1"; mount --bind "$1" "$debian$1"
            shift; count=$((count - 1))
        done
        exec chroot "$debian" /usr/bin/env -i HOME="$HOME" LC_ALL=C.UTF-8 SWIFT_DETERMINISTIC_HASHING=1 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            bash -c "cd \"\$0\" && exec \"\$@\"" "$here" "$@"
    ' bash "$debian" "$here" "${#folders[@]}" "${folders[@]}" "$@"
}

install_debian() {
    [[ "$(id -u)" == 0 && -e /etc/debian_version ]] ||
        fail "Name a Swift 6.2 toolchain: make oldest TOOLCHAIN=/path/to/toolchain"
    command -v debootstrap >/dev/null ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap; } >&2
    rm -rf "$debian"
    mkdir -p "$debian"
    debootstrap --variant=minbase unstable "$debian" http://deb.debian.org/debian >"$work/debootstrap.log" 2>&1 ||
        fail "$(tail -n 5 "$work/debootstrap.log")"
    cp -L /etc/resolv.conf /etc/hosts "$debian/etc/"
    # A mirror may serve a Release file whose time is over.
    echo 'Acquire::Check-Valid-Until "false"; Acquire::Check-Date "false";' >"$debian/etc/apt/apt.conf.d/90release-file"
    local packages=(
        swiftlang git ca-certificates make libsqlite3-dev zlib1g-dev pkgconf libpq-dev openssl python3 g++ procps dbus gnome-keyring
        libsecret-1-0
    )
    in_debian env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"' \
        sh "${packages[@]}" >"$work/apt.log" 2>&1 || fail "$(tail -n 5 "$work/apt.log")"
    # Swift Testing of that package names an archive that is not in it.
    printf '!<arch>\n' >"$debian/usr/libexec/swift/lib/swift/linux/lib_Testing_Foundation.a"
    touch "$debian/.installed"
}

if [[ "${1:-}" != inside ]]; then
    mkdir -p "$work"
    if [[ -n "${TOOLCHAIN:-}" ]]; then
        for folder in "$TOOLCHAIN/usr/bin" "$TOOLCHAIN/bin" "$TOOLCHAIN"; do
            [[ -x "$folder/swift" ]] || continue
            export PATH="$folder:$PATH"
            scripts/setup.sh
            exec scripts/oldest.sh inside
        done
        fail "There is no swift in $TOOLCHAIN."
    fi
    [[ -e "$debian/.installed" ]] || install_debian
    echo "--- Debian unstable with its swiftlang, after $SECONDS s"
    cp /etc/gitconfig "$debian/etc/gitconfig" 2>/dev/null || true
    mkdir -p "$debian$HOME"
    cp "$HOME/.gitconfig" "$debian$HOME/.gitconfig" 2>/dev/null || true
    in_debian env OLDEST_START="$SECONDS" scripts/oldest.sh inside
    exit
fi

# From here on swift is the compiler to try.
SECONDS="${OLDEST_START:-0}"
version="$(swift --version 2>&1 | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p' | head -n 1)"
[[ "$version" == 6.2.* ]] || fail "Swift ${version:-?} was found and 6.2.1 or a later 6.2 is expected. Name one: make oldest TOOLCHAIN=/path/to/toolchain"
echo "--- Swift $version"

# step NAME COMMAND…: says nothing of what passes.
step() {
    local name="$1" log="$work/step.log"
    shift
    "$@" >"$log" 2>&1 || {
        grep -E '^. Test .*(recorded an issue|failed)|^↳|error:' "$log" | head -n 40
        tail -n 20 "$log"
        fail "FAILED with Swift $version: $name"
    }
    # Warnings of ours; what is below a build folder is a dependency's.
    ! grep -E "^($here|Sources|Tests|Tools|Examples|Platform|Benchmarks).*warning:" "$log" | grep -vE "/\.build|Tests/SeedSnippets/Verbatim" ||
        fail "Warnings with Swift $version: $name"
    echo "ok: $name$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/ (\1 tests)/p' "$log" | tail -n 1), after $SECONDS s"
}

for manifest in . Tools Benchmarks Examples/*/; do
    [[ -e "$manifest/Package.swift" ]] || continue
    step "the manifest of $manifest" timeout 60 swift package --package-path "$manifest" --scratch-path "$work/manifests" \
        --manifest-cache none dump-package
done
libraries=(--scratch-path "$work/libraries")
tools=(--package-path Tools --scratch-path "$work/tools")
busy="SimulationTests|SealingKeyTests|FileStoreTests|StoreFaultTests|SecretServiceTests|ProcessLockTests|SessionArchiveTests"
timed="URLSessionTransportTests|HTTPTransportCheckTests"
step "build the libraries and their tests" swift build "${libraries[@]}" --build-tests
step "test the libraries" swift test "${libraries[@]}" --skip-build --parallel --skip "$timed|$busy"
step "test the stores and the simulation" swift test "${libraries[@]}" --skip-build --no-parallel --filter "$busy"
step "test the transport of the libraries" swift test "${libraries[@]}" --skip-build --filter "$timed"
for example in ThirdPartyFrontDoor LinuxCommand; do
    step "test Examples/$example" swift test --package-path "Examples/$example" "${libraries[@]}"
done
for shape in ios macos; do
    step "compile Apple's code in the shape of $shape" env OSTIARY_APPLE=$shape swift build "${libraries[@]}" --build-tests
done
step "an app of its own" scripts/check-consumer.sh build "$work/consumer"
step "build the tools and their tests" swift build "${tools[@]}" --build-tests
step "test the command line" swift test "${tools[@]}" --skip-build --filter OstiaryCommandTests
step "demo" timeout 120 "$work/tools/debug/ostiary" demo
echo "Swift $version: ok, after $SECONDS s"
