/**
 * Builds the packages that are installed: `npm run package -- [--out DIR] [bursar|bursar-signer]`. For each program it
 * writes a tarball with JavaScript, a Debian package that contains Node, and a bill of materials; and `SHA256SUMS`.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { billOfMaterials } from './bill-of-materials.ts'
import { makeDebianPackage } from './debian-package.ts'
import { PROGRAMS, type Program } from './programs.ts'
import { makeTarball } from './tarball.ts'
import { buildTree, readManifest } from './tree.ts'

const root = join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: join(root, '.bursar/packages') } },
  allowPositionals: true,
})
const out = resolve(values.out)
const chosen = PROGRAMS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const unknown = positionals.filter((name) => !PROGRAMS.some((program) => program.name === name))
if (unknown.length > 0) throw new RangeError(`there is no program ${unknown.join(', ')}`)

const build = (program: Program, scratch: string): string[] => {
  const tree = buildTree(root, program, join(scratch, 'tree'))
  const { version } = readManifest(root, '.')
  const bill = join(out, `${program.name}-${version}.cdx.json`)
  const contents = billOfMaterials(program, tree, { version, node: process.versions.node })
  writeFileSync(bill, `${JSON.stringify(contents, null, 2)}\n`)
  const tarball = makeTarball(root, program, { tree, staging: join(scratch, 'tarball'), out })
  const debian = makeDebianPackage(root, program, { tree, staging: join(scratch, 'debian'), out })
  return [bill, tarball, debian]
}

mkdirSync(out, { recursive: true })
const files: string[] = []
for (const program of chosen) {
  const scratch = mkdtempSync(join(tmpdir(), 'bursar-package-'))
  try {
    files.push(...build(program, scratch))
  } finally {
    rmSync(scratch, { recursive: true })
  }
}
const sums = files.map((file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}`)
writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`)
for (const file of files) console.log(file)
