/**
 * Bundles the programs into one JavaScript file each. A process that starts from its bundle loads some ten files
 * instead of two thousand, in a third of the processor time. The sandbox and the tests start their processes this way;
 * a person may always run the sources.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'

const root = join(import.meta.dirname, '..')
/**
 * Beside the packages, like the compiled code of `platform/process/compile-cache.ts`, and not in a folder where others
 * may write.
 */
const folder = join(root, 'node_modules', '.cache', 'bursar', 'programs')

const SOURCES = {
  bursar: 'server/src/main.ts',
  'bursar-signer': 'signer/src/main.ts',
}

export type Program = keyof typeof SOURCES

/** Packages that stay outside: they find files of their own by their place, or are not always installed. */
const EXTERNAL = [/^node:/, 'ccxt', 'pdfkit', 'pg-native', 'pino']

/** The file to start each program by, as an absolute path. */
export type Programs = Readonly<Record<Program, string>>

/**
 * Makes the bundles unless those of exactly these sources are there. Without the right to write there, the sources
 * themselves.
 */
export const buildPrograms = async (): Promise<Programs> => {
  const built = join(folder, keyOfSources())
  if (existsSync(built)) return programsIn(built)
  try {
    mkdirSync(folder, { recursive: true })
    removeOld()
    const making = mkdtempSync(join(folder, 'making-'))
    await bundle(making)
    // Two that build at once build the same.
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
const programsIn = (built: string): Programs => programs((program) => join(built, program, `${program}.js`))
const sources: Programs = programs((program) => join(root, SOURCES[program]))

/** Changes with every file that can be part of a program. */
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

/** A module's own place stays that of its source, where the files are that it reads and the programs it starts. */
const placesOfSources: Plugin = {
  name: 'places of sources',
  transform(code, id) {
    if (id.includes('node_modules') || !code.includes('import.meta.url')) return null
    return { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
  },
}

const bundle = async (dir: string): Promise<void> => {
  const input = Object.fromEntries(Object.entries(SOURCES).map(([program, source]) => [program, join(root, source)]))
  // Each on its own: what both need must not make the signer load files of the server.
  for (const [program, source] of Object.entries(input)) {
    const made = await rolldown({
      input: { [program]: source },
      cwd: root,
      platform: 'node',
      external: EXTERNAL,
      plugins: [placesOfSources],
      logLevel: 'warn',
    })
    await made.write({ dir: join(dir, program), format: 'esm' })
    await made.close()
  }
}

const DAY_MS = 86_400_000

/** A process that still runs from them has loaded them whole. */
const removeOld = (): void => {
  for (const name of readdirSync(folder)) {
    const one = join(folder, name)
    if (statSync(one).mtimeMs < Date.now() - DAY_MS) rmSync(one, { recursive: true, force: true })
  }
}
