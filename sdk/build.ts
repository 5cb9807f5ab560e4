/**
 * Builds the package that is published: `node sdk/build.ts [DIRECTORY]` writes `sdk/dist` or the directory, then
 * `npm publish` it from there. Inside the repository the sources are used as they are.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const here = import.meta.dirname
const directory = resolve(process.argv[2] ?? join(here, 'dist'))
const tsc = join(here, '../node_modules/.bin/tsc')

/** The compiler rewrites `.ts` in the imports of code, and not in those of declarations. */
const rewriteDeclarations = () => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'))
  for (const file of files.map((name) => join(directory, name))) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(["']\.{1,2}\/[^"']+)\.ts(["'])/g, '$1.js$2'))
  }
}

const manifest = () => {
  const { name, version, description, license, type } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  return {
    name,
    version,
    description,
    license,
    type,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    engines: { node: '>=20.3' },
    sideEffects: false,
  }
}

rmSync(directory, { recursive: true, force: true })
execFileSync(tsc, ['-p', join(here, 'tsconfig.build.json'), '--outDir', directory], { stdio: 'inherit' })
rewriteDeclarations()
writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
copyFileSync(join(here, 'README.md'), join(directory, 'README.md'))
