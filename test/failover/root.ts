/** The files of a newer Debian, for machines with PostgreSQL 17 and Patroni 4: about 900 MB, made in two minutes. */
import { spawnSync } from 'node:child_process'
import { debianRoot as rootOf, whyNoDebianRoot, type DebianRoot } from '../setup/debian-root.ts'

const TRIXIE: DebianRoot = {
  name: 'trixie',
  suite: 'trixie',
  packages: ['postgresql-17', 'patroni', 'etcd-server', 'etcd-client', 'iproute2', 'procps'],
}

/** Returns why this machine can't run database machines of its own, or undefined. */
export const whyNoMachines = (): string | undefined => {
  if (process.geteuid?.() !== 0) return 'needs root, for network namespaces'
  const missing = ['ip', 'unshare', 'nsenter', 'chroot', 'openssl'].find(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )
  return missing === undefined ? whyNoDebianRoot(TRIXIE) : `needs the program ${missing}`
}

/** Returns the folder of the files, which the first call makes. */
export const debianRoot = (): string => rootOf(TRIXIE)
