#!/bin/sh
set -e
[ "$1" = configure ] || exit 0

# The group may read the settings and the data key. Each role has a user of its own, so that a role which was taken over
# can read neither the memory nor the database password of another one.
getent group bursar >/dev/null || groupadd --system bursar
for role in api worker watcher; do
  getent passwd "bursar-$role" >/dev/null ||
    useradd --system --user-group --groups bursar --home-dir /nonexistent --no-create-home \
      --shell /usr/sbin/nologin "bursar-$role"
done
# PostgreSQL does not run as root: the drill runs it as this user.
getent passwd bursar-backup >/dev/null ||
  useradd --system --user-group --groups bursar --home-dir /nonexistent --no-create-home \
    --shell /usr/sbin/nologin bursar-backup
mkdir -p /var/lib/bursar-backup
chown bursar-backup:bursar-backup /var/lib/bursar-backup
chmod 700 /var/lib/bursar-backup
# Operators read the database login and the key of operators, which no role may read.
getent group bursar-operator >/dev/null || groupadd --system bursar-operator
chown root:bursar /etc/bursar
chmod 750 /etc/bursar

# Node stores compiled code there, so that commands and roles start faster. Only root may write it.
/usr/bin/bursar --version >/dev/null || true

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  if [ -n "$2" ]; then
    echo "bursar: run 'systemctl start bursar-migrate', then restart bursar-worker, bursar-watcher and bursar-api"
  fi
fi
