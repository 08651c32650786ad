# A release of Debian in a folder of its own, for scripts that source this file. It needs root, on Debian.

# in_debian ROOT COMMAND…: runs a command in an installed system, with the current folder at the same path, and so the folders
# of the array `mounts`. The mounts end with the command.
in_debian() {
    local root="$1" here="$PWD"
    shift
    local folders=("$here" ${mounts[@]+"${mounts[@]}"})
    # A git that reads packages from folders of this machine finds them there, too.
    while read -r folder; do folders+=("$folder"); done < <(
        git config --get-regexp '^url\.file://.*\.insteadof$' | sed -E 's|^url\.file://(/.*)\.insteadof .*|\1|' | sort -u
    )
    unshare --mount --propagation private bash -c '
        set -e
        root="$1" here="$2" count="$3"; shift 3
        mount --bind /proc "$root/proc"
        mount --rbind /dev "$root/dev"
        while [ "$count" -gt 0 ]; do
            mkdir -p "$root$1"; mount --bind "$1" "$root$1"
            shift; count=$((count - 1))
        done
        exec chroot "$root" /usr/bin/env -i HOME="$HOME" LC_ALL=C.UTF-8 SWIFT_DETERMINISTIC_HASHING=1 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            bash -c "cd \"\$0\" && exec \"\$@\"" "$here" "$@"
    ' bash "$root" "$here" "${#folders[@]}" "${folders[@]}" "$@"
}

# install_debian RELEASE ROOT PACKAGE…: installs a release with packages, unless it is installed already. Logs go beside it.
install_debian() {
    local release="$1" root="$2" logs
    shift 2
    [[ "$(cat "$root/.installed" 2>/dev/null)" != "$*" ]] || return 0
    logs="$(dirname "$root")"
    mkdir -p "$logs"
    if [[ ! -e "$root/.installed" ]]; then
        command -v debootstrap >/dev/null ||
            { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap; } >&2
        rm -rf "$root"
        mkdir -p "$root"
        debootstrap --variant=minbase "$release" "$root" http://deb.debian.org/debian >"$logs/debootstrap.log" 2>&1 ||
            { tail -n 5 "$logs/debootstrap.log" >&2; return 1; }
        cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
        # A mirror may serve a Release file whose time is over.
        echo 'Acquire::Check-Valid-Until "false"; Acquire::Check-Date "false";' >"$root/etc/apt/apt.conf.d/90release-file"
    fi
    in_debian "$root" env DEBIAN_FRONTEND=noninteractive sh -c \
        'apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"' sh "$@" >"$logs/apt.log" 2>&1 ||
        { tail -n 5 "$logs/apt.log" >&2; return 1; }
    printf '%s' "$*" >"$root/.installed"
}
