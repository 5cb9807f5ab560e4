/** The previous release, checked out of git into a folder of its own. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The build that is upgraded: the last one of 27 November 2026, which lacks the newest 21 migrations or more. It
 * becomes the tag of the previous release with the second release.
 */
export const PREVIOUS = '338b19fb'

const root = join(import.meta.dirname, '../..')

/**
 * Writes the files of the commit to a folder, which uses the packages of this checkout: it has each of them in the
 * version of the commit, and may have more.
 * @param folder new or empty
 * @throws Error if git does not know the commit, as in a shallow clone, or if a package has another version
 */
export const checkOut = (commit: string, folder: string): void => {
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28 })
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status !== 0)
    throw new Error(`${commit} is not in this repository: run \`git fetch --unshallow\``)
  const here = versionsOf(readFileSync(join(root, 'package-lock.json')))
  for (const [place, version] of versionsOf(git('show', `${commit}:package-lock.json`)))
    if (here.get(place) !== version)
      throw new Error(`${commit} has ${place} ${version}, and this checkout ${here.get(place) ?? 'does not have it'}`)
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

/** The version of each package of a lock file, by its folder. */
const versionsOf = (lock: Buffer): Map<string, string | undefined> => {
  const { packages } = JSON.parse(lock.toString()) as { packages: Record<string, { version?: string }> }
  return new Map(Object.entries(packages).map(([place, { version }]) => [place, version]))
}

/** Folder of each package `@bursar/NAME`. */
const WORKSPACES = {
  chainkit: 'chainkit',
  checkout: 'web/checkout',
  contract: 'contract',
  sdk: 'sdk',
  signer: 'signer',
}
