/** Makes a Debian package of a program's tree. It contains the Node that runs the program. */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { licencesOf } from './licences.ts'
import type { Program } from './programs.ts'
import { readManifest, type Tree } from './tree.ts'

/** Names of architectures, for Debian and for Node. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

const HERE = import.meta.dirname
const SCRIPTS = ['postinst', 'prerm', 'postrm']

/**
 * @param staging a new folder for the contents
 * @param out the folder of the result
 * @returns the path of the `.deb`
 * @throws Error for a processor that Debian or the Node of this repository does not support
 */
export const makeDebianPackage = (
  root: string,
  program: Program,
  { tree, staging, out }: { tree: Tree; staging: string; out: string },
): string => {
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined) throw new Error(`there is no Debian package for ${process.arch}`)
  const { name } = program
  const { version } = readManifest(root, '.')
  const lib = join(staging, 'usr/lib', name)
  cpSync(tree.folder, lib, { recursive: true, verbatimSymlinks: true })
  copyFileSync(join(root, 'node_modules', `node-linux-${process.arch}`, 'bin/node'), join(lib, 'node'))
  addCommand(name, staging)
  addUnits(name, staging)
  addDocuments(root, program, tree, staging)
  addControl({ program, version, architecture }, staging)
  const file = join(out, `${name}_${version}_${architecture}.deb`)

  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zzstd', '-z6', staging, file], { stdio: 'ignore' })
  return file
}

const addCommand = (name: string, staging: string): void => {
  const file = join(staging, 'usr/bin', name)
  mkdirSync(join(staging, 'usr/bin'), { recursive: true })
  copyFileSync(join(HERE, 'debian', name, 'command.sh'), file)
  chmodSync(file, 0o755)
  if (name === 'bursar') mkdirSync(join(staging, 'etc/bursar'), { recursive: true })
}

const addUnits = (name: string, staging: string): void => {
  const folder = join(staging, 'lib/systemd/system')
  mkdirSync(folder, { recursive: true })
  for (const unit of [...unitsOf(name), ...timersOf(name)])
    copyFileSync(join(HERE, 'systemd', unit), join(folder, unit))
}

/** The timers of a program: the server's, for backups and drills. */
const timersOf = (name: string): string[] =>
  name === 'bursar' ? globSync('*.timer', { cwd: join(HERE, 'systemd') }).toSorted() : []

/** The units of a program: the signer has one, the server those of its roles, of the migration and of backups. */
export const unitsOf = (name: string): string[] =>
  globSync('*.service', { cwd: join(HERE, 'systemd') })
    .filter((unit) => (unit === 'bursar-signer.service') === (name === 'bursar-signer'))
    .toSorted()

const addDocuments = (root: string, program: Program, tree: Tree, staging: string): void => {
  const folder = join(staging, 'usr/share/doc', program.name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'copyright'), licencesOf(root, tree))
  copyFileSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'))
  if (program.name === 'bursar') cpSync(join(root, 'docs'), folder, { recursive: true, filter: isText })
  else copyFileSync(join(root, 'signer/README.md'), join(folder, 'README.md'))
}

/** Folders, guides, schemas of settings, dashboards and rules; no pictures. */
const isText = (file: string): boolean => statSync(file).isDirectory() || /\.(md|json|yml)$/.test(file)

interface Described {
  program: Program
  version: string
  architecture: string
}

const addControl = ({ program, version, architecture }: Described, staging: string): void => {
  const folder = join(staging, 'DEBIAN')
  mkdirSync(folder)
  const kilobytes = Math.ceil(sizeOf(staging) / 1024)
  const control = [
    `Package: ${program.name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Section: net',
    'Priority: optional',
    'Maintainer: The maintainers of Bursar',
    `Installed-Size: ${kilobytes}`,
    'Depends: libc6 (>= 2.28), libstdc++6, passwd',
    ...(program.name === 'bursar' ? ['Suggests: bursar-signer, postgresql (>= 15)'] : []),
    `Description: ${program.summary}`,
    ' Contains the Node.js runtime that runs it.',
  ]
  writeFileSync(join(folder, 'control'), `${control.join('\n')}\n`)
  for (const script of SCRIPTS) {
    const file = join(folder, script)
    writeFileSync(file, readFileSync(join(HERE, 'debian', program.name, `${script}.sh`)))
    chmodSync(file, 0o755)
  }
}

const sizeOf = (folder: string): number =>
  globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
