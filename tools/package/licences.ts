/** The licences of a program and of its packages, for the Debian package's `copyright`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tree } from './tree.ts'

/** @returns the licence of Bursar, then a line for each package; their own texts are in their folders */
export const licencesOf = (root: string, { packages, lock }: Tree): string => {
  const rows = packages.map((path) => {
    const { version, license } = lock[path]!
    return `${nameOf(path)} ${version}: ${license ?? 'see its folder'}`
  })
  const own = readFileSync(join(root, 'LICENSE'), 'utf8').trimEnd()
  return `${own}\n\nPackages, each with its licence in its folder:\n\n${[...rows, 'Node.js: MIT and others'].join('\n')}\n`
}

/** The name of a package, from its path in the lock file. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
