/** The files of a newer Debian, for machines with PostgreSQL 17 and Patroni 4: `debootstrap` writes them once. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { debianMirror, readAptSources } from '../../sandbox/debian/apt-sources.ts'

const SUITE = 'trixie'
const PACKAGES = ['postgresql-17', 'patroni', 'etcd-server', 'etcd-client', 'iproute2', 'procps']
/** About 900 MB, and two minutes. Outside temporary folders, so that later runs use it. */
const FOLDER = '/var/tmp/bursar-failover'

/** Returns why this machine can't run database machines of its own, or undefined. */
export const whyNoMachines = (): string | undefined => {
  if (process.geteuid?.() !== 0) return 'needs root, for network namespaces'
  const missing = ['ip', 'unshare', 'nsenter', 'chroot', 'openssl'].find(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )
  if (missing !== undefined) return `needs the program ${missing}`
  if (existsSync(rootFolder())) return undefined
  if (spawnSync('sh', ['-c', 'command -v debootstrap']).status !== 0) return 'needs debootstrap'
  return debianMirror(readAptSources()) === undefined ? "needs a mirror of Debian in apt's sources" : undefined
}

const rootFolder = (): string => join(FOLDER, SUITE)

/** Returns the folder of the files, which the first call makes. */
export const debianRoot = (): string => {
  const root = rootFolder()
  if (existsSync(root)) return root
  mkdirSync(FOLDER, { recursive: true })
  const draft = `${root}.${process.pid}`
  const made = spawnSync(
    'debootstrap',
    ['--variant=minbase', `--include=${PACKAGES.join()}`, SUITE, draft, debianMirror(readAptSources())!.uri],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  )
  if (made.status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    throw new Error(`debootstrap failed:\n${made.stdout.slice(-2_000)}${made.stderr.slice(-2_000)}`)
  }
  renameSync(draft, root)
  return root
}
