#!/usr/bin/env bash
# Becomes process 1 of a host of the lab: builds the host's root over the machine's, starts sshd.
#
#   lab_host.sh LAB HOST    run by scripts/lab, in fresh namespaces
set -euo pipefail

lab=$1
host=$2
directory=$lab/hosts/$host
root=$directory/root
storage=$directory/storage

# /proc is still the machine's, so this is our pid there.
read -r pid _ </proc/self/stat
echo "$pid" >"$directory/pid.new"
mv "$directory/pid.new" "$directory/pid"
exec 3>"$directory/ready"
hostname "$host"

# A copy on write: reads go through to the machine, writes stay in the host's storage.
overlay() { # PATH
  local layers=$storage/${1//\//_}
  mkdir -p "$layers/upper" "$layers/work"
  mount -t overlay overlay \
    -o "lowerdir=$1,upperdir=$layers/upper,workdir=$layers/work,redirect_dir=on" "$root$1"
}

# Directories where other file systems with files of the machine are mounted.
other_mounts() {
  awk '$5 !~ /^\/(dev|proc|sys|run)?(\/|$)/ && $5 !~ /[\\:,]/ { print $5 }' /proc/self/mountinfo |
    sort -u
}

read_only() { # PATH
  mount --bind "$1" "$1"
  mount -o remount,bind,ro "$1"
}

# A program that looks for its limits finds those of the host.
show_cgroup() { # CGROUP PATH
  mount --bind "$1" "$2"
  mount -o remount,bind,ro "$2"
}

build_root() {
  local path mounts
  mapfile -t mounts < <(other_mounts)
  mkdir -p "$root" "$storage"
  # An overlay can't be the upper layer of another, as it would be in most containers.
  [[ $(stat --file-system --format=%T "$storage") != overlayfs ]] ||
    mount -t tmpfs tmpfs "$storage"
  overlay /
  for path in "${mounts[@]}"; do
    [[ -d $path ]] || continue
    overlay "$path" 2>/dev/null || { mount --bind "$path" "$root$path" && read_only "$root$path"; }
  done
  while read -r path; do
    [[ -z $path ]] || mount --bind "$path" "$root$path"
  done <"$lab/shared"
  # No host sees the disk of another.
  mount -t tmpfs -o ro,size=4k tmpfs "$root$lab/hosts"
}

build_system_directories() {
  local cgroup controller
  mount -t proc proc "$root/proc"
  # Settings of the kernel are the machine's, but for those of the network.
  read_only "$root/proc/sys"
  mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
  mount -o remount,bind,rw "$root/proc/sys/net"

  mount -t sysfs -o ro sysfs "$root/sys"
  if [[ -f /sys/fs/cgroup/cgroup.controllers ]]; then
    show_cgroup "$(head -n 1 "$lab/cgroups")/$host" "$root/sys/fs/cgroup"
  else
    mount -t tmpfs -o size=4k tmpfs "$root/sys/fs/cgroup"
    while read -r cgroup && read -r controller <&4; do
      mkdir "$root/sys/fs/cgroup/$controller"
      show_cgroup "$cgroup/$host" "$root/sys/fs/cgroup/$controller"
    done <"$lab/cgroups" 4< <(printf 'cpu\nmemory\n')
  fi

  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  cp -a /dev/{null,zero,full,random,urandom,tty} "$root/dev"
  mkdir -m 1777 "$root/dev/shm"
  mkdir "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s /proc/self/fd/0 "$root/dev/stdin"
  ln -s /proc/self/fd/1 "$root/dev/stdout"
  ln -s /proc/self/fd/2 "$root/dev/stderr"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mkdir -m 755 "$root/run/sshd" "$root/run/lock"
}

write_settings() {
  local etc=$root/etc ssh=$root/root/.ssh
  echo "$host" >"$etc/hostname"
  cat "$lab/etc_hosts" >"$etc/hosts"
  # No name server can be reached from here.
  rm -f "$etc/resolv.conf"
  : >"$etc/resolv.conf"
  # Some machines lock root's account, which would shut out keys as well.
  sed -i 's/^root:[^:]*:/root:*:/' "$etc/shadow"

  # The machine's keys and settings of ssh don't exist here.
  rm -rf "$ssh" "$etc"/ssh/ssh_host_* "$etc"/ssh/sshd_config.d "$etc"/ssh/ssh_config.d
  install -m 700 -d "$ssh"
  install -m 600 "$lab/id_ed25519" "$ssh/id_ed25519"
  install -m 600 "$lab/id_ed25519.pub" "$ssh/authorized_keys"
  install -m 600 "$lab/ssh_config" "$ssh/config"
  install -m 600 "$lab/known_hosts" "$ssh/known_hosts"
  install -m 600 "$directory/ssh_host_ed25519_key" "$etc/ssh/ssh_host_ed25519_key"
  # MaxStartups: launchers open many connections at once.
  printf '%s\n' "Port 22" "HostKey /etc/ssh/ssh_host_ed25519_key" "UsePAM no" \
    "PermitRootLogin prohibit-password" "PasswordAuthentication no" \
    "KbdInteractiveAuthentication no" "AuthorizedKeysFile .ssh/authorized_keys" \
    "MaxStartups 300" "MaxSessions 300" "PrintMotd no" "PrintLastLog no" \
    "Subsystem sftp /usr/lib/openssh/sftp-server" >"$etc/ssh/sshd_config"
}

start_sshd() {
  /usr/sbin/sshd -E /var/log/sshd.log
  # 0016: port 22, 0A: it listens.
  until grep -q ':0016 [0-9A-F:]* 0A' /proc/net/tcp; do
    [[ -n $(pgrep -x sshd) ]] || { cat /var/log/sshd.log && exit 1; }
    sleep 0.02
  done
}

build_root
build_system_directories
write_settings
cd "$root"
pivot_root . .
umount -l .
cd /
start_sshd
echo ready >&3
# When the host's memory runs out, the process that all others hang on is the last to end. Root of a
# container may not be allowed to say so.
(echo -1000 >/proc/self/oom_score_adj) 2>/dev/null || true
# Whoever ignores the end of its children needn't wait for them: orphans leave no zombies.
exec env --ignore-signal=CHLD sleep infinity 3>&-
