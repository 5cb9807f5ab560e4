#!/bin/sh
# Makes template units of systemd from the units of the package, so that one machine runs several processes of a role:
#   sh instances.sh && systemctl enable --now bursar-api@1 bursar-api@2
# The instance N of a role reads /etc/bursar/ROLE.env, and then /etc/bursar/ROLE-N.env, which gives it ports of its own:
#   BURSAR_HTTP=10.88.0.21:8081
#   BURSAR_INNER=10.88.0.21:9091
# usage: instances.sh [FOLDER OF THE PACKAGE'S UNITS [FOLDER TO WRITE TO]]
set -eu
from=${1:-/lib/systemd/system}
to=${2:-/etc/systemd/system}
for role in api worker watcher; do
  sed -e "s|^EnvironmentFile=/etc/bursar/$role.env\$|&\\nEnvironmentFile=-/etc/bursar/$role-%i.env|" \
    -e "s|^Description=.*|& (process %i)|" "$from/bursar-$role.service" >"$to/bursar-$role@.service"
done
