# Functions of tests that install the packages: a copy of this machine's root that is thrown away, mounted below the
# folder $1, and the start of a unit's command in it. A script in a mount namespace of its own sources this file.
folder=$1

root=$folder/root
mkdir "$folder/layers" "$root"
mount -t tmpfs tmpfs "$folder/layers"
mkdir "$folder/layers/upper" "$folder/layers/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/layers/upper,workdir=$folder/layers/work" "$root"
for place in proc sys dev; do mount --rbind "/$place" "$root/$place"; done
mkdir -p "$root/packages"
mount --bind "$folder" "$root/packages"

inside() { chroot "$root" "$@"; }

# The value of a key of a unit.
value() { inside sed -n "s/^$2=//p" "/lib/systemd/system/$1.service"; }

# Runs the command of a unit as systemd would: its user and groups, and nothing but its environment.
start() {
  local unit=$1 user files
  user=$(value "$unit" User)
  files=$(value "$unit" EnvironmentFile)
  # Not by `inside`: the job would be a shell, and the end of that shell would not end its child.
  chroot "$root" env -i PATH=/usr/bin:/bin /bin/sh -ec "
    for file in ${files//$'\n'/ }; do set -a; . \"\$file\"; set +a; done
    $(value "$unit" Environment | sed 's/^/export /')
    exec setpriv --reuid=${user:-nobody} --regid=${user:-nogroup} ${3:---init-groups} -- $(value "$unit" ExecStart)
  " >"$folder/$unit.log" 2>&1 &
  started+=($!)
  process_of[$unit]=$!
  if [ "${2:-}" = wait ]; then wait $!; fi
}

# Ends the process of a unit by a signal.
end() {
  kill "-$2" "${process_of[$1]}"
  # The shell would report the end of a killed job.
  { wait "${process_of[$1]}" || true; } 2>/dev/null
}

started=()
declare -A process_of
finish() { for one in "${started[@]}"; do kill "$one" 2>/dev/null || true; done; wait || true; }
trap finish EXIT

