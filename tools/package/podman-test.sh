#!/bin/bash
# Builds the images of the folder $1 with podman from the root $2, on a base image that is made of the root $3, and runs
# each service of the compose file in a container: `NAME.args` has its image and its arguments, one a line. The network
# of each is its own, and has no way out; the worker shares that of the signer. Reads `NAME` of a health check from
# standard input, and prints `NAME` with its exit code. Needs root, and runs in a mount namespace of its own:
# `unshare --mount podman-test.sh FOLDER ROOT BASE`.
set -euo pipefail
folder=$1
engine=$2
base=$3

root=$folder/engine
mkdir "$folder/engine-layers" "$root"
mount -t tmpfs tmpfs "$folder/engine-layers"
mkdir "$folder/engine-layers/upper" "$folder/engine-layers/work"
mount -t overlay overlay -o "lowerdir=$engine,upperdir=$folder/engine-layers/upper,workdir=$folder/engine-layers/work" "$root"
for place in proc sys dev; do mount --rbind "/$place" "$root/$place"; done
mkdir -p "$root/var/lib/containers" "$root/packages" "$root/base"
for place in dev/shm run var/lib/containers var/tmp; do mount -t tmpfs tmpfs "$root/$place"; done
mount --bind "$folder" "$root/packages"
mount --bind "$base" "$root/base"
# Not by chroot: a command that podman starts in a container later would get the root of this machine.
cd "$root"
pivot_root . mnt
umount --lazy /mnt
cd /
hash -r
folder=/packages

podman() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    podman --log-level fatal --storage-driver overlay --runtime runc "$@"
}
# The network of the signer is used by the worker, so the worker goes first.
finish() {
  podman rm --force --time 5 worker >/dev/null || true
  podman rm --all --force --time 5 >/dev/null || true
}
trap finish EXIT

tar -C /base -c . | podman import --quiet - debian:bookworm-slim >/dev/null
mkdir "$folder/context" "$folder/keys" "$folder/run"
for name in bursar bursar-signer; do ln "$folder/$name.deb" "$folder/context/${name}_test.deb"; done
# RUN of a Dockerfile has no network either: nothing is fetched.
for name in bursar signer; do
  tag=bursar-signer
  [ "$name" = signer ] || tag=bursar
  podman build --isolation chroot --pull=never --format docker --file "/packages/$name.Dockerfile" \
    --tag "$tag:test" /packages/context >"$folder/$name.build.log" 2>&1 || { cat "$folder/$name.build.log" >&2; exit 1; }
done

# The limits of open files are those that this machine may set.
limits=(--ulimit "nofile=$(ulimit -n):$(ulimit -n)" --ulimit nproc=4096:4096)
signer() { podman run --rm "${limits[@]}" --network none --volume /packages/keys:/keys bursar-signer:test "$@"; }
chown 10002:10002 "$folder/keys"
chmod 700 "$folder/keys"
(umask 077; head -c 24 /dev/urandom | base64 >"$folder/keys/passphrase")
chown 10002:10002 "$folder/keys/passphrase"
signer init --seed /keys/seed --passphrase-file /keys/passphrase >/dev/null
signer xpubs --seed /keys/seed --passphrase-file /keys/passphrase --chain mainnet >"$folder/settings/wallet.json"

mkdir "$folder/run/secrets"
cp "$folder"/secrets/* "$folder"/keys/* "$folder/run/secrets"
chown 10002:10002 "$folder"/run/secrets/{seed,passphrase,signer-*}
chown 10001:10001 "$folder"/run/secrets/{data-key,database-*,worker-*}
chmod 400 "$folder"/run/secrets/*
chmod 444 "$folder/run/secrets/signer-ca"
chmod 644 "$folder"/settings/* "$folder"/signer/*
chmod 755 "$folder" "$folder/run" "$folder/run/secrets" "$folder/settings" "$folder/signer" "$folder/postgres"

# $1: the name; $2: its network; then further options.
contain() {
  local name=$1 network=$2 args
  shift 2
  mapfile -t args <"$folder/$name.args"
  podman run --detach --name "$name" --network "$network" "${limits[@]}" "$@" \
    --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges --health-interval disable \
    --volume /packages/run/secrets:/run/secrets:ro --volume /packages/settings:/etc/bursar:ro \
    --volume /packages/signer:/etc/bursar-signer:ro \
    --volume /packages/postgres:/packages/postgres "${args[@]}" >/dev/null
  podman logs --follow "$name" >"$folder/$name.log" 2>&1 &
}
echo '127.0.0.1 localhost signer' >"$folder/hosts"
contain migrate none
[ "$(podman wait migrate)" = 0 ] || { podman logs migrate >&2; exit 1; }
# A new volume: it has the owner of the folder in the image.
contain signer none --no-hosts --volume /packages/hosts:/etc/hosts:ro --volume signer-state:/var/lib/bursar-signer
sleep 1
contain worker container:signer --no-hosts --volume /packages/hosts:/etc/hosts:ro
contain watcher none
contain api none
echo started
while read -r name; do
  code=0
  podman healthcheck run "$name" >/dev/null 2>&1 || code=$?
  echo "$name $code"
done
