/**
 * Downloads programs from Debian's archive and unpacks them into a private folder with their libraries. Nothing is
 * installed, and the machine's packages and apt lists do not change.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFileLock } from '../process/lock.ts'
import { debianMirror, readAptSources } from './apt-sources.ts'
import type { AptSource } from './apt-sources.ts'

const stepTimeoutMs = 300_000

/** By `process.arch`: Debian's name of the architecture, its library folder and its loader. */
export const architectures: Readonly<
  Record<string, { readonly debian: string; readonly triplet: string; readonly loader: string }>
> = {
  x64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { debian: 'arm64', triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
}

export interface DebianProgram<T> {
  /** name of the folder in the cache, and of its lock */
  readonly name: string
  /** the first is the program's; the others contain its libraries */
  readonly packages: readonly [string, ...string[]]
  /** libraries that the machine already has and that must not be loaded twice */
  readonly without?: readonly string[]
  /** a suite of Debian; the machine's own when absent */
  readonly suite?: string
  /** folders of the package that are not needed */
  readonly spare?: readonly string[]
  /** Returns the program in the folder, in which `root` is the package's own root; or why it does not run. */
  find(folder: string): T | string
}

/** Returns the copy fetched earlier, if there is one that runs. */
export function cachedProgram<T extends object>(cacheDir: string, program: DebianProgram<T>): T | undefined {
  const folder = folderOf(cacheDir, program)
  const found = existsSync(folder) ? program.find(folder) : undefined
  return typeof found === 'object' ? found : undefined
}

/** Fetches Debian's package into the cache. If that is impossible here, returns the reason as a string. */
export async function fetchProgram<T extends object>(
  cacheDir: string,
  program: DebianProgram<T>,
  log: (line: string) => void,
): Promise<T | string> {
  if (process.platform !== 'linux' || architectures[process.arch] === undefined) {
    return `Debian's package does not run on ${process.platform} ${process.arch}`
  }
  const mirror = debianMirror(readAptSources())
  if (mirror === undefined) return 'this machine has no Debian mirror in its apt configuration'
  mkdirSync(cacheDir, { recursive: true })
  return withFileLock(join(cacheDir, `${program.name}.lock`), 2 * stepTimeoutMs, async () => {
    const already = cachedProgram(cacheDir, program)
    if (already !== undefined) return already
    log(`fetching ${program.name} from Debian's archive, once`)
    const draft = join(cacheDir, `${program.name}.draft-${process.pid}`)
    try {
      removeDrafts(cacheDir, program.name)
      await fetchInto(draft, mirror, program)
      const found = program.find(draft)
      if (typeof found === 'string') return found
      rmSync(folderOf(cacheDir, program), { recursive: true, force: true })
      renameSync(draft, folderOf(cacheDir, program))
      return program.find(folderOf(cacheDir, program))
    } catch (error) {
      return `Debian's package could not be fetched: ${(error as Error).message}`
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  })
}

async function fetchInto<T>(
  draft: string,
  mirror: AptSource,
  { packages, suite, without = [], spare = [] }: DebianProgram<T>,
): Promise<void> {
  const apt = preparePrivateApt(join(draft, 'apt'), mirror, suite ?? mirror.suites[0] ?? 'stable')
  await run('apt-get', [...apt, 'update'], draft)
  const [root] = packages
  const graph = await run('apt-cache', [...apt, 'depends', '--recurse', '--important', root], draft)
  const debs = join(draft, 'debs')
  mkdirSync(debs)
  const libraries = librariesOf(graph, root).filter((name) => !without.includes(name))
  await run('apt-get', [...apt, 'download', ...packages, ...libraries], debs)
  for (const deb of readdirSync(debs)) await run('dpkg-deb', ['-x', join(debs, deb), join(draft, 'root')], debs)
  for (const name of ['apt', 'debs', ...spare]) rmSync(join(draft, name), { recursive: true, force: true })
}

/**
 * Returns the libraries that a package needs, from `apt-cache depends --recurse`, without those that only its
 * installation needs.
 */
export function librariesOf(graph: string, root: string): string[] {
  const edges = new Map<string, string[]>()
  let current: string[] = []
  for (const line of graph.split('\n')) {
    if (/^\S/.test(line)) edges.set(line.trim(), (current = []))
    const dependency = /^[ |]+(?:Pre)?Depends: (\S+)$/.exec(line)?.[1]
    if (dependency !== undefined && /^(lib|zlib)/.test(dependency)) current.push(dependency)
  }
  const found = new Set<string>()
  const visit = (name: string): void => {
    for (const next of edges.get(name) ?? []) {
      if (found.has(next)) continue
      found.add(next)
      visit(next)
    }
  }
  visit(root)
  return [...found].sort()
}

/** Prepares apt with its own lists, cache and package status, and with the machine's keys and proxies. */
function preparePrivateApt(folder: string, mirror: AptSource, suite: string): string[] {
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'state/status'), '')
  const signedBy = mirror.signedBy === undefined ? '' : `[signed-by=${mirror.signedBy}] `
  writeFileSync(join(folder, 'sources.list'), `deb ${signedBy}${mirror.uri} ${suite} main\n`)
  const settings = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'state/status'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc::sourcelist': join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'APT::Architecture': architectures[process.arch]?.debian ?? '',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    // Mirrors with a copy of one day serve expired lists; the signature is still checked.
    'Acquire::Check-Valid-Until': 'false',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
}

function folderOf<T>(cacheDir: string, { name }: DebianProgram<T>): string {
  return join(cacheDir, `${name}-${process.arch}`)
}

function removeDrafts(cacheDir: string, name: string): void {
  for (const entry of readdirSync(cacheDir)) {
    if (entry.startsWith(`${name}.draft-`)) rmSync(join(cacheDir, entry), { recursive: true, force: true })
  }
}

/** Returns the program's output; throws with the end of its output when it fails. */
function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  mkdirSync(cwd, { recursive: true })
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: stepTimeoutMs, env })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (errors += chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${file} failed: ${errors.trim().split('\n').at(-1) ?? `exit code ${code}`}`))
    })
  })
}
