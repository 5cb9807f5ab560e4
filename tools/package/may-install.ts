import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Installing packages, and mounting a copy of the root, need root, and a kernel and a container that allow it. */
export const mayInstall = (): boolean =>
  process.platform === 'linux' &&
  process.geteuid!() === 0 &&
  ['systemd-analyze', 'dpkg'].every((program) => spawnSync(program, ['--version']).status === 0) &&
  spawnSync('unshare', ['--mount', 'true']).status === 0 &&
  /\boverlay\b/.test(readFileSync('/proc/filesystems', 'utf8'))
