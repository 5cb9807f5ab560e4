/**
 * Bundles each program into one JavaScript file. A process that starts from its bundle loads some ten files instead of
 * two thousand, in a third of the processor time. The sandbox and the tests start their processes this way; the sources
 * can always be run directly.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'

const root = join(import.meta.dirname, '..')
/**
 * Beside the packages, like the compile cache of `platform/process/compile-cache.ts`, and not in a folder that other
 * users can write.
 */
const folder = join(root, 'node_modules', '.cache', 'bursar', 'programs')

const SOURCES = {
  bursar: 'server/src/main.ts',
  'bursar-signer': 'signer/src/main.ts',
}

export type Program = keyof typeof SOURCES

/** Packages that are not bundled: they find their own files by location, or are not always installed. */
const EXTERNAL = [/^node:/, 'ccxt', 'pdfkit', 'pg-native', 'pino']

/** The absolute path of the file that starts each program. */
export type Programs = Readonly<Record<Program, string>>

/**
 * Builds the bundles unless those of exactly these sources exist. Returns the paths of the sources if the folder is not
 * writable.
 */
export const buildPrograms = async (): Promise<Programs> => {
  const built = join(folder, keyOfSources())
  if (existsSync(built)) return programsIn(built)
  try {
    mkdirSync(folder, { recursive: true })
    removeOld()
    const making = mkdtempSync(join(folder, 'making-'))
    await bundle(making)
    // As the sources: other users may start the programs.
    chmodSync(making, 0o755)
    // Concurrent builds produce the same bundles.
    if (existsSync(built)) rmSync(making, { recursive: true })
    else renameSync(making, built)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EROFS') return sources
    if (!existsSync(built)) throw error
  }
  return programsIn(built)
}

const programs = (fileOf: (program: Program) => string): Programs =>
  Object.fromEntries((Object.keys(SOURCES) as Program[]).map((program) => [program, fileOf(program)])) as Record<
    Program,
    string
  >
// Node parses a .js file without a package.json beside it twice, to see whether it is a module.
const EXTENSION = 'mjs'
const programsIn = (built: string): Programs => programs((program) => join(built, program, `${program}.${EXTENSION}`))
const sources: Programs = programs((program) => join(root, SOURCES[program]))

/** Returns a key that changes with every file that can be part of a program. */
const keyOfSources = (): string => {
  const files = globSync('{chainkit,contract,sdk,server,signer,web}/**/*.{ts,json}', {
    cwd: root,
    exclude: (name) => basename(name) === 'node_modules',
  })
  const key = createHash('sha256')
  for (const file of ['package-lock.json', 'tools/build.ts', ...files.toSorted()]) {
    const { size, mtimeMs } = statSync(join(root, file))
    key.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return key.digest('hex').slice(0, 16)
}

/** Keeps each module's path that of its source, next to the files that it reads and the programs that it starts. */
const placesOfSources: Plugin = {
  name: 'places of sources',
  transform(code, id) {
    if (id.includes('node_modules') || !code.includes('import.meta.url')) return null
    return { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
  },
}

const bundle = async (dir: string): Promise<void> => {
  const input = Object.fromEntries(Object.entries(SOURCES).map(([program, source]) => [program, join(root, source)]))
  // Bundled separately, so that the signer does not load the server's files through shared chunks.
  for (const [program, source] of Object.entries(input)) {
    const made = await rolldown({
      input: { [program]: source },
      cwd: root,
      platform: 'node',
      external: EXTERNAL,
      plugins: [placesOfSources],
      logLevel: 'warn',
    })
    const names = { entryFileNames: `[name].${EXTENSION}`, chunkFileNames: `[name]-[hash].${EXTENSION}` }
    await made.write({ dir: join(dir, program), format: 'esm', ...names })
    await made.close()
  }
}

const DAY_MS = 86_400_000

/** A process that still runs from old bundles has already loaded them. */
const removeOld = (): void => {
  for (const name of readdirSync(folder)) {
    const one = join(folder, name)
    if (statSync(one).mtimeMs < Date.now() - DAY_MS) rmSync(one, { recursive: true, force: true })
  }
}
