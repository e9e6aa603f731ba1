# shellcheck shell=bash disable=SC2154 # the variables of scripts/lab
# The control groups of the lab, part of scripts/lab: one for each host and one for the switch, in
# the controllers cpu and memory, of version 1 or 2. They limit the hosts, and they are how the lab
# knows which processes are its own. They lie below the group of the caller, whose limits go on to
# hold. $lab/cgroups has their directories: a line for each controller.

cgroup_parent() { # CONTROLLER
  local mount path
  mount=$(awk -v c=",$1," '/ - cgroup / && index("," $NF ",", c) { print $5; exit }' \
    /proc/self/mountinfo)
  if [[ -n $mount ]]; then
    path=$(awk -F: -v c=",$1," 'index("," $2 ",", c) { print $3 }' /proc/self/cgroup)
    # A container sees a part of the tree, and may be told its path in the whole.
    [[ -d $mount$path ]] || path=''
    printf '%s\n' "$mount${path%/}"
    return
  fi
  mount=$(awk '/ - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
  path=$(sed -n 's/^0:://p' /proc/self/cgroup)
  path=${path%/}
  # In version 2 a group with processes gives no controllers to groups below it; one above does.
  until grep -qw "$1" "$mount$path/cgroup.subtree_control" 2>/dev/null; do
    [[ -n $path ]] || return 1
    path=${path%/*}
  done
  printf '%s\n' "$mount$path"
}

find_cgroups() {
  local controller parent name
  name=tandem-lab-$(cksum <<<"$lab" | cut -d ' ' -f 1)
  cgroups=()
  for controller in cpu memory; do
    parent=$(cgroup_parent "$controller") && [[ -w $parent ]] || return 1
    cgroups+=("$parent/$name")
  done
}

# Sets cgroups to the directories of the lab that is up.
load_cgroups() {
  cgroups=()
  [[ ! -f $lab/cgroups ]] || mapfile -t cgroups <"$lab/cgroups"
}

make_cgroups() { # NAME...
  local cgroup name
  printf '%s\n' "${cgroups[@]}" >"$lab/cgroups"
  for cgroup in "${cgroups[@]}"; do
    mkdir -p "$cgroup"
    [[ ! -f $cgroup/cgroup.subtree_control ]] ||
      echo "+cpu +memory" >"$cgroup/cgroup.subtree_control"
    for name in "$@"; do mkdir -p "$cgroup/$name"; done
  done
}

limit_cgroup() { # NAME; by $cores and $memory
  local quota bytes
  if [[ -n $cores ]]; then
    quota=$(awk -v c="$cores" -v p="$CPU_PERIOD_US" 'BEGIN { print int(c * p) }')
    if [[ -f ${cgroups[0]}/$1/cpu.max ]]; then
      echo "$quota $CPU_PERIOD_US" >"${cgroups[0]}/$1/cpu.max"
    else
      echo "$CPU_PERIOD_US" >"${cgroups[0]}/$1/cpu.cfs_period_us"
      echo "$quota" >"${cgroups[0]}/$1/cpu.cfs_quota_us"
    fi
  fi
  if [[ -n $memory ]]; then
    bytes=$(numfmt --from=iec "$memory")
    if [[ -f ${cgroups[1]}/$1/memory.max ]]; then
      echo "$bytes" >"${cgroups[1]}/$1/memory.max"
    else
      echo "$bytes" >"${cgroups[1]}/$1/memory.limit_in_bytes"
    fi
  fi
}

in_cgroup() { # NAME PID
  load_cgroups
  [[ ${#cgroups[@]} -gt 0 ]] && grep -qx "$2" "${cgroups[0]}/$1/cgroup.procs"
}

# Moves the process that calls this, a subshell maybe.
enter_cgroup() { # NAME
  local cgroup
  load_cgroups
  [[ ${#cgroups[@]} -gt 0 ]] || fail 1 "the lab is gone"
  for cgroup in "${cgroups[@]}"; do echo "$BASHPID" >"$cgroup/$1/cgroup.procs"; done
}

# Ends every process in it, and waits until they are gone.
kill_cgroup() { # NAME
  local cgroup pids deadline=$((SECONDS + 30))
  load_cgroups
  for cgroup in "${cgroups[@]}"; do
    while [[ -d $cgroup/$1 ]]; do
      mapfile -t pids <"$cgroup/$1/cgroup.procs"
      [[ ${#pids[@]} -gt 0 ]] || break
      # 0: a process outside of our own namespace of pids, which isn't ours to end.
      [[ ${pids[0]} -gt 0 ]] || fail 1 "$cgroup/$1 has processes that cannot be seen from here"
      kill -s KILL "${pids[@]}" 2>/dev/null || true
      ((SECONDS < deadline)) || fail 1 "$1 has processes that don't end: ${pids[*]}"
      sleep 0.01
    done
  done
}

# An up that was killed may have left processes behind that were about to enter a group: they are
# ended when they have.
remove_cgroups() {
  local cgroup name tries
  load_cgroups
  for cgroup in "${cgroups[@]}"; do
    for tries in {1..100}; do
      for name in "$cgroup"/*/; do
        [[ ! -d $name ]] || kill_cgroup "$(basename "$name")"
      done
      find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [[ -d $cgroup ]] || break
      [[ $tries -lt 100 ]] || fail 1 "$cgroup cannot be removed"
      sleep 0.05
    done
  done
}
