#!/bin/sh
# The command bursar-signer, with the Node of this package.
exec /usr/lib/bursar-signer/node /usr/lib/bursar-signer/signer/src/main.js "$@"
