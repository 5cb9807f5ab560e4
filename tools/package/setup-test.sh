#!/bin/bash
# Runs command lines of standard input, one after the other, in a copy of this machine's root that is thrown away. The
# packages are in /root of the copy. After the output of each line it prints `exit CODE`. The copy has no systemd. A line
# `systemctl enable --now UNIT...` starts each unit's command as its user; it starts no timers. `systemctl start UNIT`
# runs the command to its end, `systemctl restart UNIT` ends it and starts it again, and
# `systemctl kill --signal=KILL UNIT` ends it at once. Needs root, and runs in a mount namespace of its own:
# `unshare --mount setup-test.sh FOLDER`.
set -euo pipefail
# shellcheck source=tools/package/copied-root.sh
. "$(dirname "$0")/copied-root.sh"

inside find /packages -maxdepth 1 '(' -name '*.deb' -o -name '*.json' ')' -exec cp -t /root '{}' +
while read -r line; do
  if [[ $line == "systemctl enable --now "* ]]; then
    for unit in ${line#systemctl enable --now }; do [[ $unit == *.timer ]] || start "$unit"; done
    echo "exit 0"
  elif [[ $line == "systemctl start "* ]]; then
    unit=${line#systemctl start }
    code=0
    start "$unit" wait || code=$?
    cat "$folder/$unit.log"
    echo "exit $code"
  elif [[ $line == "systemctl restart "* ]]; then
    unit=${line#systemctl restart }
    end "$unit" TERM
    start "$unit"
    echo "exit 0"
  elif [[ $line == "systemctl kill --signal=KILL "* ]]; then
    end "${line#systemctl kill --signal=KILL }" KILL
    echo "exit 0"
  else
    code=0
    inside env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -c "cd /root && $line" 2>&1 </dev/null || code=$?
    echo "exit $code"
  fi
done
