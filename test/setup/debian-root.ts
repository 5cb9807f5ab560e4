/** Files of a Debian with further packages, which `debootstrap` writes once. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { debianMirror, readAptSources } from '../../sandbox/debian/apt-sources.ts'

export interface DebianRoot {
  /** name of its folder */
  name: string
  suite: string
  packages: readonly string[]
}

/** Outside temporary folders, so that later runs use it. */
const FOLDER = '/var/tmp/bursar-failover'

const folderOf = ({ name }: DebianRoot): string => join(FOLDER, name)

/** Returns why this machine can't make it, or undefined. */
export const whyNoDebianRoot = (wanted: DebianRoot): string | undefined => {
  if (existsSync(folderOf(wanted))) return undefined
  if (spawnSync('sh', ['-c', 'command -v debootstrap']).status !== 0) return 'needs debootstrap'
  return debianMirror(readAptSources()) === undefined ? "needs a mirror of Debian in apt's sources" : undefined
}

/** Returns the folder of the files, which the first call makes. */
export const debianRoot = (wanted: DebianRoot): string => {
  const root = folderOf(wanted)
  if (existsSync(root)) return root
  mkdirSync(FOLDER, { recursive: true })
  const draft = `${root}.${process.pid}`
  const include = wanted.packages.length === 0 ? [] : [`--include=${wanted.packages.join()}`]
  const made = spawnSync(
    'debootstrap',
    ['--variant=minbase', ...include, wanted.suite, draft, debianMirror(readAptSources())!.uri],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  )
  if (made.status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    throw new Error(`debootstrap failed:\n${made.stdout.slice(-2_000)}${made.stderr.slice(-2_000)}`)
  }
  renameSync(draft, root)
  return root
}
