#!/bin/sh
# The command bursar, with the Node of this package. A person who may read them gets the settings of the installation
# (bursar.env) and of operators (operator.env); variables of the shell take precedence.
set -e
settings=
for name in bursar operator; do
  file="/etc/bursar/$name.env"
  if [ -r "$file" ]; then settings="$settings --env-file=$file"; fi
done
# The paths have no spaces.
# shellcheck disable=SC2086
exec /usr/lib/bursar/node $settings /usr/lib/bursar/server/src/main.js "$@"
