# What ./run and ./test share: install missing packages, configure, build. Sourced by bash, with $root set.
#
# Standard output belongs to nameplate, so everything here speaks on standard error, and only when there is something to
# say. A launcher that cannot do its part exits with 3, since 1 and 2 are answers of nameplate itself.

say() { printf '%s\n' "$*" >&2; }
fail() { say "$@"; exit 3; }

# quietly NAME COMMAND…: runs it with its output in build/NAME.log, shown only when it fails.
quietly() {
  local log=$root/build/$1.log
  shift
  "$@" >"$log" 2>&1 </dev/null || { cat "$log" >&2; return 1; }
}

packages_of() { awk -v group="$1" '$1 == group { print $2 }' "$root/tools/packages.txt"; }

missing_packages() {
  local package
  for package in $(packages_of "$1"); do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# install PACKAGE…: with apt, as root or by sudo without a password.
install() {
  local sudo='' log=$root/build/apt.log command="apt-get install -y --no-install-recommends $*"
  if [[ $EUID != 0 ]]; then
    sudo -n true 2>/dev/null || fail "These packages are missing, and installing them needs root. Run: sudo $command"
    sudo='sudo -n '
  fi
  say "Installing with apt: $*"
  local apt="${sudo}env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
  $apt update >"$log" 2>&1 </dev/null  # a stale list may still do: the next line tells
  $apt install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null && return
  if grep -qE 'Unable to locate|Failed to fetch|Could not (resolve|connect)|no installation candidate' "$log"; then
    say "$(grep -m 1 '^E: ' "$log")"
    fail "apt could not fetch the packages. With a network and a Debian 12 mirror, run: ${sudo:+sudo }$command"
  fi
  cat "$log" >&2
  fail "apt could not install the packages; what it said is above. To repeat it, run: ${sudo:+sudo }$command"
}

# need GROUP: installs what is missing of that group. A stamp with the list's hash spares the question the next time.
need() {
  local stamp=$root/build/.packages-$1 hash
  hash=$(sha256sum <"$root/tools/packages.txt")
  [[ -f $stamp && $(<"$stamp") == "$hash" ]] && return
  command -v dpkg-query >/dev/null ||
    fail "This is not a Debian system. Install what tools/packages.txt lists, then build with: cmake --preset release && ninja -C build/release"
  local missing
  mapfile -t missing < <(missing_packages "$1")
  if ((${#missing[@]})); then install "${missing[@]}"; fi
  echo "$hash" >"$stamp"
}

# build PRESET TARGET…: configures once, then builds. Warnings are errors where CI is set, except under the sanitizers of g++,
# which make it warn of what is not there. The lock lets two launchers of one checkout take turns.
build() (
  local preset=$1 directory=$root/build/$1 options=()
  shift
  exec 9>"$root/build/.lock-$preset"
  flock 9
  cd "$root" || exit
  if [[ ! -f $directory/build.ninja ]]; then
    say "Building in build/$preset: some minutes the first time."
    [[ -z ${CI:-} || $preset == [at]san ]] || options=(-D NAMEPLATE_WERROR=ON)
    quietly "$preset-configure" cmake --preset "$preset" "${options[@]}" || exit 1
  fi
  quietly "$preset-build" ninja -C "$directory" "$@"
)

# Clones of this repository share what the compiler cache holds.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

mkdir -p "$root/build" || exit 3
