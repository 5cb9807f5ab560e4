/**
 * Debian's bitcoind, unpacked into a private folder with the libraries it was built for. Only Debian's unstable release
 * has it; nothing is installed, and the machine's own packages and apt lists stay as they are.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFileLock } from '../process/lock.ts'
import { debianMirror, readAptSources } from './apt-sources.ts'
import type { AptSource } from './apt-sources.ts'
import { tryProgram } from './program.ts'
import type { BitcoindProgram } from './program.ts'

const packageName = 'bitcoin-knots'
const stepTimeoutMs = 180_000

/** By `process.arch`: Debian's name of the architecture, its library folder, its loader. */
const architectures: Readonly<
  Record<string, { readonly debian: string; readonly triplet: string; readonly loader: string }>
> = {
  x64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { debian: 'arm64', triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
}

/** The copy fetched earlier, if there is one that runs. */
export function cachedProgram(cacheDir: string): BitcoindProgram | undefined {
  const found = existsSync(folderOf(cacheDir)) ? programIn(folderOf(cacheDir)) : undefined
  return typeof found === 'object' ? found : undefined
}

/** Fetches Debian's package into the cache. Returns why that cannot be done here, as a string, when it cannot. */
export async function fetchProgram(cacheDir: string, log: (line: string) => void): Promise<BitcoindProgram | string> {
  if (process.platform !== 'linux' || architectures[process.arch] === undefined) {
    return `Debian's package does not run on ${process.platform} ${process.arch}`
  }
  const mirror = debianMirror(readAptSources())
  if (mirror === undefined) return 'this machine has no Debian mirror in its apt configuration'
  mkdirSync(cacheDir, { recursive: true })
  return withFileLock(join(cacheDir, 'bitcoind.lock'), 2 * stepTimeoutMs, async () => {
    const already = cachedProgram(cacheDir)
    if (already !== undefined) return already
    log("fetching bitcoind from Debian's archive, once")
    const draft = join(cacheDir, `bitcoind.draft-${process.pid}`)
    try {
      removeDrafts(cacheDir)
      await fetchInto(draft, mirror)
      const found = programIn(draft)
      if (typeof found === 'string') return found
      rmSync(folderOf(cacheDir), { recursive: true, force: true })
      renameSync(draft, folderOf(cacheDir))
      return programIn(folderOf(cacheDir))
    } catch (error) {
      return `Debian's package could not be fetched: ${(error as Error).message}`
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  })
}

async function fetchInto(draft: string, mirror: AptSource): Promise<void> {
  const apt = preparePrivateApt(join(draft, 'apt'), mirror)
  await run('apt-get', [...apt, 'update'], draft)
  const graph = await run('apt-cache', [...apt, 'depends', '--recurse', '--important', packageName], draft)
  const debs = join(draft, 'debs')
  mkdirSync(debs)
  await run('apt-get', [...apt, 'download', packageName, ...librariesOf(graph, packageName)], debs)
  for (const deb of readdirSync(debs)) await run('dpkg-deb', ['-x', join(debs, deb), join(draft, 'root')], debs)
  for (const spare of ['apt', 'debs', 'root/usr/share']) rmSync(join(draft, spare), { recursive: true, force: true })
}

/** The libraries a package needs, from `apt-cache depends --recurse`: what only its installation needs is left out. */
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

/** apt with its own lists, cache and package status. Its keys and proxies stay the machine's. */
function preparePrivateApt(folder: string, mirror: AptSource): string[] {
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'state/status'), '')
  const signedBy = mirror.signedBy === undefined ? '' : `[signed-by=${mirror.signedBy}] `
  writeFileSync(join(folder, 'sources.list'), `deb ${signedBy}${mirror.uri} sid main\n`)
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
    // Mirrors that keep a copy of one day serve lists that are past their date; their signature is still checked.
    'Acquire::Check-Valid-Until': 'false',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
}

function programIn(folder: string): BitcoindProgram | string {
  const { triplet = '', loader = '' } = architectures[process.arch] ?? {}
  const libraries = join(folder, 'root/usr/lib', triplet)
  const args = ['--library-path', libraries, join(folder, 'root/usr/bin/bitcoind')]
  return tryProgram(join(libraries, loader), args, `Debian's bitcoind in ${folder}`)
}

function folderOf(cacheDir: string): string {
  return join(cacheDir, `bitcoind-${process.arch}`)
}

function removeDrafts(cacheDir: string): void {
  for (const name of readdirSync(cacheDir)) {
    if (name.startsWith('bitcoind.draft-')) rmSync(join(cacheDir, name), { recursive: true, force: true })
  }
}

/** The program's output; throws with its last words when it fails. */
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
