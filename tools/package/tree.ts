/** Builds the folder of a program: JavaScript in the places of its sources, and its third-party packages. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { packagesOf, parseLock, type Lock } from './locked.ts'
import type { Program, Workspace } from './programs.ts'

export interface Tree {
  folder: string
  /** paths in the lock file, each also a folder of the tree */
  packages: readonly string[]
  lock: Lock
}

/** Files of packages that no program reads at run time. Texts of licences stay. */
const UNREAD = /(\.[cm]?ts|\.map|\.md|\.markdown|\.test\.js)$|\/(test|tests|__tests__|\.github)(\/|$)/
const LICENCE = /\/(licen[cs]e|notice|copying)[^/]*$/i

interface Manifest {
  name: string
  version: string
  license: string
  exports?: Readonly<Record<string, string>>
}

export const readManifest = (root: string, folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest

/**
 * Writes the tree of a program to a new folder. Its files are those that the program imports, so it has no tests and no
 * development packages. Node refuses TypeScript in node_modules, and the tree has none.
 * @param root of the repository, with installed packages
 * @throws Error if the compiler reports an error
 */
export const buildTree = (root: string, program: Program, folder: string): Tree => {
  mkdirSync(folder, { recursive: true })
  compile(root, program, folder)
  for (const path of program.data) cpSync(join(root, path), join(folder, path), { recursive: true })
  for (const workspace of program.workspaces) addWorkspace(root, workspace, folder)
  writeManifest(root, program, folder)
  const lock = parseLock(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const packages = packagesOf(lock, program.manifests)
  for (const path of packages) copyPackage(root, path, folder)
  return { folder, packages, lock }
}

const compile = (root: string, program: Program, folder: string): void => {
  // Found in node_modules, a workspace would count as an external package, and its files would not be written.
  const paths = Object.fromEntries(
    program.workspaces.flatMap((workspace) => {
      const { exports } = readManifest(root, workspace.folder)
      return workspace.exports.map((subpath) => [
        posix.join(workspace.name, subpath),
        [join(root, workspace.folder, exports![subpath]!)],
      ])
    }),
  )
  const config = join(folder, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    rewriteRelativeImportExtensions: true,
    rootDir: root,
    outDir: folder,
    paths,
    typeRoots: [join(root, 'node_modules/@types')],
  }
  const started = [program.main, ...program.started].map((file) => join(root, file))
  const files = [...started, ...Object.values(paths).flat()]
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }))
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { stdio: ['ignore', 'inherit', 'inherit'] })
  rmSync(config)
  for (const file of globSync('**/*.js', { cwd: folder })) rewriteStarted(join(folder, file))
}

/** The compiler changes the endings of imports, and not those of files that are started by their URL. */
const STARTED = /(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g

const rewriteStarted = (file: string): void => {
  const text = readFileSync(file, 'utf8')
  if (text.search(STARTED) >= 0) writeFileSync(file, text.replaceAll(STARTED, '$1.js$2'))
}

const addWorkspace = (root: string, { folder, name, exports: used }: Workspace, tree: string): void => {
  const { version, license, exports } = readManifest(root, folder)
  const built = used.map((subpath) => [subpath, exports![subpath]!.replace(/\.ts$/, '.js')])
  const manifest = { name, version, license, type: 'module', exports: Object.fromEntries(built) }
  writeFileSync(join(tree, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const link = join(tree, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(relative(dirname(link), join(tree, folder)), link)
}

const writeManifest = (root: string, { name, summary, main }: Program, folder: string): void => {
  const { version, license } = readManifest(root, '.')
  const bin = { [name]: main.replace(/\.ts$/, '.js') }
  const manifest = { name, version, description: summary, license, type: 'module', bin, engines: { node: '>=24' } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Copies a package without the packages inside it, which have rows of their own in the lock file. */
const copyPackage = (root: string, path: string, folder: string): void => {
  const from = join(root, path)
  if (!existsSync(from)) throw new Error(`${path} is not installed: run node tools/prepare.mjs`)
  const nested = join(from, 'node_modules')
  cpSync(from, join(folder, path), {
    recursive: true,
    filter: (file) => {
      const inside = file.slice(from.length)
      return !file.startsWith(nested) && (!UNREAD.test(inside) || LICENCE.test(inside))
    },
  })
}
