#!/bin/sh
set -e
# The seed and the log stay after a purge: without the seed, the money is lost.
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
