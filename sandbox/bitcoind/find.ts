/** Finds a bitcoind: the configured one, the installed one, one fetched earlier, or Debian's. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { cachedProgram, fetchProgram } from '../debian/fetch.ts'
import { debianBitcoind } from './debian.ts'
import { tryProgram } from './program.ts'
import type { BitcoindProgram } from './program.ts'

export interface FindOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Default: `bursar` in the user's cache folder, outside any work tree. */
  readonly cacheDir?: string
  /** May it be fetched when it is nowhere? Default: true. */
  readonly mayFetch?: boolean
  readonly log?: (line: string) => void
}

export type Found = { readonly program: BitcoindProgram } | { readonly missing: string }

/** If BITCOIND is set and does not run, that is a user error and is reported; no other is tried then. */
export async function findBitcoind(options: FindOptions = {}): Promise<Found> {
  const env = options.env ?? process.env
  const named = env['BITCOIND']
  if (named !== undefined && named !== '') return asFound(tryProgram(named, [], `BITCOIND=${named}`))
  const installed = onPath(env['PATH'] ?? '')
  if (installed !== undefined) {
    const program = tryProgram(installed, [], installed)
    if (typeof program === 'object') return { program }
  }
  const cacheDir = options.cacheDir ?? userCacheDir(env)
  const cached = cachedProgram(cacheDir, debianBitcoind)
  if (cached !== undefined) return { program: cached }
  if (options.mayFetch === false) return { missing: `no bitcoind on PATH or in ${cacheDir}; set BITCOIND to one` }
  return asFound(await fetchProgram(cacheDir, debianBitcoind, options.log ?? (() => {})))
}

/**
 * The XDG base directory specification's cache folder, or one in the temporary folder when there is no home to write
 * to.
 */
export function userCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache')
  const wished = join(base, 'bursar')
  try {
    mkdirSync(wished, { recursive: true })
    accessSync(wished, constants.W_OK)
    return wished
  } catch {
    return join(tmpdir(), `bursar-cache-${process.getuid?.() ?? 0}`)
  }
}

function asFound(result: BitcoindProgram | string): Found {
  if (typeof result === 'object') return { program: result }
  return { missing: `${result}; set BITCOIND to the bitcoind of an installed Bitcoin Core or Bitcoin Knots` }
}

function onPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'bitcoind'))
    .find((file) => existsSync(file))
}
