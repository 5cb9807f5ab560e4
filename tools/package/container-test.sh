#!/bin/bash
# Runs the containers of the folder $1 without an engine for containers: the packages are unpacked into a copy of this
# machine's root, as the Dockerfiles do, and each script `NAME.sh` in the folder runs with this root read-only, in
# a network of its own. The worker shares the network of the signer. Reads `NAME` of a health check from standard input,
# and prints `NAME` with its exit code. Needs root, and runs in a mount namespace of its own:
# `unshare --mount container-test.sh FOLDER`.
set -euo pipefail
# shellcheck source=tools/package/copied-root.sh
. "$(dirname "$0")/copied-root.sh"

for package in bursar bursar-signer; do
  inside dpkg-deb --extract "/packages/$package.deb" /unpacked
  inside mv "/unpacked/usr/lib/$package" /usr/lib
done
mkdir -p "$root/run/secrets" "$root/etc/bursar" "$root/etc/bursar-signer" "$root/var/lib/bursar-signer"
chown 10002:10002 "$root/var/lib/bursar-signer"
chmod 700 "$root/var/lib/bursar-signer"
echo "127.0.0.1 localhost signer" >"$root/etc/hosts"

signer() { inside setpriv --reuid=10002 --regid=10002 --clear-groups /usr/lib/bursar-signer/node /usr/lib/bursar-signer/signer/src/main.js "$@"; }
inside sh -c 'umask 077; head -c 24 /dev/urandom | base64 >/run/secrets/passphrase; chown 10002 /run/secrets/passphrase; chown 10002 /run/secrets'
signer init --seed /run/secrets/seed --passphrase-file /run/secrets/passphrase >/dev/null
signer xpubs --seed /run/secrets/seed --passphrase-file /run/secrets/passphrase --chain mainnet >"$root/etc/bursar/wallet.json"
inside sh -c 'chown root: /run/secrets; cp /packages/secrets/* /run/secrets; cp /packages/settings/* /etc/bursar; cp /packages/signer/* /etc/bursar-signer
  chown 10002:10002 /run/secrets/signer-*; chown 10001:10001 /run/secrets/data-key /run/secrets/database-* /run/secrets/worker-*
  chmod 400 /run/secrets/*; chmod 444 /run/secrets/signer-ca; chmod 644 /etc/bursar/* /etc/bursar-signer/*'

# $1: the name; $2: the process whose network it shares, if any. The root is read-only, but for /tmp and the volume.
contain() {
  local net=(unshare --net)
  [ -z "${2:-}" ] || net=(nsenter "--net=/proc/$2/ns/net")
  "${net[@]}" unshare --mount sh -ec "
    ip link set lo up
    mount --rbind '$root' '$root'
    mount -o remount,bind,ro '$root'
    mount -t tmpfs tmpfs '$root/tmp'
    mount --bind '$folder/layers/volume' '$root/var/lib/bursar-signer'
    exec chroot '$root' sh /packages/$1.sh
  " >"$folder/$1.log" 2>&1 &
  started+=($!)
  pids[$1]=$!
}
declare -A pids
mkdir "$folder/layers/volume"
chown 10002:10002 "$folder/layers/volume"
chmod 700 "$folder/layers/volume"

contain migrate
wait "${pids[migrate]}" || { cat "$folder/migrate.log"; exit 1; }
contain signer
sleep 1
contain worker "${pids[signer]}"
contain watcher
contain api
echo "started"
while read -r name; do
  code=0
  nsenter "--net=/proc/${pids[$name]}/ns/net" chroot "$root" sh "/packages/$name.health.sh" >/dev/null 2>&1 || code=$?
  echo "$name $code"
done
