/** The third-party packages of a program, resolved in package-lock.json as Node resolves them. */
import { join } from 'node:path/posix'

export interface Locked {
  version: string
  /** `sha512-BASE64` of the tarball */
  integrity?: string
  license?: string
  dependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
  optional?: true
  link?: true
}

export type Lock = Readonly<Record<string, Locked>>

export const parseLock = (text: string): Lock => (JSON.parse(text) as { packages: Lock }).packages

/**
 * The paths in the lock file (`node_modules/pg`, `chainkit/node_modules/@noble/curves`) of every package that the given
 * workspaces need at run time. Our own workspaces and optional packages are not among them.
 * @param folders of workspaces; `.` is the root
 * @throws Error if the lock file lacks a package
 */
export const packagesOf = (lock: Lock, folders: readonly string[]): string[] => {
  const found = new Set<string>()
  const visit = (folder: string, dependencies: Readonly<Record<string, string>> = {}): void => {
    for (const name of Object.keys(dependencies)) {
      const path = resolve(lock, folder, name)
      if (path === undefined) throw new Error(`package-lock.json has no ${name} for ${folder}`)
      if (lock[path]!.link === true || found.has(path)) continue
      found.add(path)
      visit(path, lock[path]!.dependencies)
    }
  }
  for (const folder of folders) {
    const { dependencies = {}, optionalDependencies = {} } = lock[folder === '.' ? '' : folder]!
    const needed = Object.entries(dependencies).filter(([name]) => !(name in optionalDependencies))
    visit(folder, Object.fromEntries(needed))
  }
  return [...found].toSorted()
}

/** The path of the package that a file in the folder gets when it imports the name. */
const resolve = (lock: Lock, folder: string, name: string): string | undefined => {
  for (let at = folder === '.' ? '' : folder; ; at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '') {
    const path = join(at, 'node_modules', name)
    if (!at.endsWith('node_modules') && lock[path] !== undefined) return path
    if (at === '') return undefined
  }
}
