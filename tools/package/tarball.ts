/** Makes a tarball of a program's tree. The same sources give the same bytes. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from './programs.ts'
import { readManifest, type Tree } from './tree.ts'

/** Files have this time, because the contents do not depend on the time of the build. */
const TIME = '2000-01-01 00:00:00Z'

/**
 * @param staging a new folder for the contents
 * @returns the path of `NAME-VERSION.tar.gz`; it has one folder with this name, whose `NAME` is the command
 */
export const makeTarball = (
  root: string,
  { name, main }: Program,
  { tree, staging, out }: { tree: Tree; staging: string; out: string },
): string => {
  const inside = `${name}-${readManifest(root, '.').version}`
  const folder = join(staging, inside)
  cpSync(tree.folder, folder, { recursive: true, verbatimSymlinks: true })
  const command = join(folder, name)
  writeFileSync(command, commandOf(main.replace(/\.ts$/, '.js')))
  chmodSync(command, 0o755)
  const file = join(out, `${inside}.tar.gz`)
  const options = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=${TIME}`,
    '--mode=u+rwX,go+rX,go-w',
  ]
  // gzip -n stores no time of its own.
  execFileSync('tar', [...options, '-I', 'gzip -n', '-C', staging, '-cf', file, inside])
  return file
}

const commandOf = (main: string): string => `#!/bin/sh
# Runs with Node 24 of the PATH.
exec node "$(dirname "$(readlink -f "$0")")/${main}" "$@"
`
