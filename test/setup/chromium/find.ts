/** Finds a Chromium: the one named, or the one installed. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { userCacheDir } from '../../../sandbox/bitcoind/find.ts'
import { cachedChromium, fetchChromium } from './debian.ts'

export interface FindOptions {
  env?: NodeJS.ProcessEnv
  /** `bursar` in the user's cache folder, unless it is said otherwise */
  cacheDir?: string
  /** whether it may be fetched when it is nowhere */
  mayFetch?: boolean
  log?: (line: string) => void
}

export type Found = { program: string } | { missing: string }

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']

/** A CHROMIUM that is set and does not run is an error of the user's and reported so: nothing else is tried then. */
export const findChromium = async (options: FindOptions = {}): Promise<Found> => {
  const env = options.env ?? process.env
  const named = env['CHROMIUM'] ?? ''
  if (named !== '') return runs(named) ? { program: named } : { missing: `CHROMIUM=${named} does not run` }
  const installed = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file) && runs(file))
  if (installed !== undefined) return { program: installed }
  const cacheDir = options.cacheDir ?? userCacheDir(env)
  const cached = cachedChromium(cacheDir)
  if (cached !== undefined && runs(cached)) return { program: cached }
  if (options.mayFetch === false) return { missing: `no Chromium on PATH or in ${cacheDir}; set CHROMIUM to one` }
  const fetched = await fetchChromium(cacheDir, options.log ?? (() => {}))
  if ('missing' in fetched) return { missing: `${fetched.missing}; set CHROMIUM to one` }
  return runs(fetched.program)
    ? fetched
    : { missing: `Debian's Chromium in ${cacheDir} does not run; set CHROMIUM to one` }
}

const runs = (file: string): boolean => {
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 20_000 })
  return status === 0 && /Chrom(e|ium)\b/.test(stdout)
}
