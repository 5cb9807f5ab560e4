#!/bin/sh
set -e
rm -rf /usr/lib/bursar/node_modules/.cache
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now bursar-api bursar-worker bursar-watcher \
    bursar-backup-wal bursar-backup.timer bursar-drill.timer
fi
