/** The previous release, checked out of git into a folder of its own. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The build that is upgraded: the last one of 27 November 2026, which lacks the newest 21 migrations or more. It
 * becomes the tag of the previous release with the second release.
 */
export const PREVIOUS = '338b19fb'

const root = join(import.meta.dirname, '../..')

/**
 * Writes the files of the commit to a folder, which uses the packages of this checkout: both have one lock file.
 * @param folder new or empty
 * @throws Error if git does not know the commit, as in a shallow clone, or if its lock file differs
 */
export const checkOut = (commit: string, folder: string): void => {
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28 })
  if (spawnSync('git', ['diff', '--quiet', commit, '--', 'package-lock.json'], { cwd: root }).status !== 0)
    throw new Error(
      `${commit} is not in this repository, or has other packages: run \`git fetch --unshallow\`, or npm ci in a checkout of it`,
    )
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) })
  const packages = join(folder, 'node_modules')
  mkdirSync(join(packages, '@bursar'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@bursar' && name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(packages, name))
  for (const [name, place] of Object.entries(WORKSPACES)) {
    symlinkSync(join(folder, place), join(packages, '@bursar', name))
    // Packages of which the workspace needs another version than the root.
    const own = join(root, place, 'node_modules')
    if (existsSync(own)) symlinkSync(own, join(folder, place, 'node_modules'))
  }
}

/** Folder of each package `@bursar/NAME`. */
const WORKSPACES = {
  chainkit: 'chainkit',
  checkout: 'web/checkout',
  contract: 'contract',
  sdk: 'sdk',
  signer: 'signer',
}
