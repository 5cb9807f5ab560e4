/** A package exports every path of the workspaces that its program imports. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAMS } from './programs.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Imports of a workspace by the files below a folder, as its manifest names them: `./logo`, or `.`. */
const importedBy = (folder: string, name: string): string[] =>
  globSync('**/*.ts', { cwd: join(ROOT, folder) })
    .filter((file) => !/\.test\.ts$|(^|\/)test-/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(ROOT, folder, file), 'utf8').matchAll(new RegExp(`from '${name}(/[^']+)?'`, 'g')),
    ])
    .map(([, path]) => (path === undefined ? '.' : `.${path}`))

test.each(PROGRAMS.flatMap(({ main, name, workspaces }) => workspaces.map((one) => [name, main, one] as const)))(
  '%s, workspace %#',
  (_name, main, { name, exports: paths }) => {
    const imported = new Set(importedBy(join(main, '..'), name))
    expect([...imported].filter((path) => !paths.includes(path))).toEqual([])
  },
)
