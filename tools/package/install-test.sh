#!/bin/bash
# Installs the packages of the folder $1 in a copy of this machine's root that is thrown away, and starts each unit's
# command as the unit's user, with its environment. The folder also has the settings, in etc. Prints a line for each
# finding; the commands run until standard input ends. Needs root, and runs in a mount namespace of its own:
# `unshare --mount install-test.sh FOLDER`.
set -euo pipefail
# shellcheck source=tools/package/copied-root.sh
. "$(dirname "$0")/copied-root.sh"

inside dpkg -i /packages/bursar-signer.deb /packages/bursar.deb >"$folder/dpkg.log" 2>&1
echo "version: $(inside bursar --version)"
echo "signer: $(inside bursar-signer --version)"
echo "users: $(inside id -nG bursar-api), $(inside id -nG bursar-worker), $(inside id -nG bursar-watcher), $(inside id -nG bursar-signer)"
for unit in bursar-api bursar-worker bursar-watcher bursar-migrate bursar-backup-wal bursar-backup bursar-drill bursar-signer; do
  inside systemd-analyze verify "/lib/systemd/system/$unit.service" 2>&1 | grep "$unit" | sed 's/^/unit: /' || true
  inside systemd-analyze security --offline=true --threshold=25 "$unit.service" >"$folder/$unit.security" 2>&1 ||
    echo "unit: $unit is more exposed than 2.5: $(tail -1 "$folder/$unit.security")"
done

for timer in bursar-backup bursar-drill; do
  inside systemd-analyze verify "/lib/systemd/system/$timer.timer" 2>&1 | grep "$timer" | sed 's/^/unit: /' || true
done

signer() { inside setpriv --reuid=bursar-signer --regid=bursar-signer --init-groups bursar-signer "$@"; }
inside sh -c 'umask 077; head -c 24 /dev/urandom | base64 > /etc/bursar-signer/passphrase; cp /packages/etc/bursar-signer/* /etc/bursar-signer; chown bursar-signer: /etc/bursar-signer/*'
signer init --seed /etc/bursar-signer/seed.json --passphrase-file /etc/bursar-signer/passphrase >/dev/null
signer xpubs --seed /etc/bursar-signer/seed.json --passphrase-file /etc/bursar-signer/passphrase --chain mainnet >"$folder/wallet.json"
inside sh -c 'cp /packages/etc/bursar/* /packages/wallet.json /etc/bursar; chown root:bursar /etc/bursar/*; chmod 640 /etc/bursar/*; chmod 600 /etc/bursar/*.env; chmod 640 /etc/bursar/bursar.env'

start bursar-migrate wait "--groups=$(inside getent group bursar | cut -d: -f3)" && echo "migrated" || { cat "$folder/bursar-migrate.log"; exit 1; }
start bursar-signer
for role in worker watcher api; do start "bursar-$role"; done
echo "started"
cat >/dev/null
echo "leftovers: $(inside dpkg -r bursar bursar-signer >/dev/null 2>&1; inside find /usr/lib/bursar /usr/lib/bursar-signer 2>/dev/null | wc -l) files, $(inside ls /etc/bursar-signer | wc -l) of the signer's"
