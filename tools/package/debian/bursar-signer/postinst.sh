#!/bin/sh
set -e
[ "$1" = configure ] || exit 0

getent passwd bursar-signer >/dev/null ||
  useradd --system --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin bursar-signer
install -d -o bursar-signer -g bursar-signer -m 700 /etc/bursar-signer /var/lib/bursar-signer

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  if [ -n "$2" ]; then echo "bursar-signer: restart bursar-signer to run this version"; fi
fi
