/** Debian's promtool, which checks rules of Prometheus without a server. PROMTOOL names another one. */
import { existsSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { userCacheDir } from '../../sandbox/bitcoind/find.ts'
import { fetchProgram, type DebianProgram } from '../../sandbox/debian/fetch.ts'

const debianPromtool: DebianProgram<{ program: string }> = {
  name: 'promtool',
  packages: ['prometheus'],
  without: ['libc6'],
  spare: ['root/usr/share', 'root/usr/bin/prometheus', 'root/etc', 'root/var'],
  find: (folder) => {
    const program = join(folder, 'root/usr/bin/promtool')
    return existsSync(program) && runs(program) ? { program } : `there is no promtool that runs in ${folder}`
  },
}

const runs = (program: string): boolean => spawnSync(program, ['--version'], { timeout: 20_000 }).status === 0

/** Finds promtool, or fetches it into the user's cache. Returns why there is none. */
export const findPromtool = async (env: NodeJS.ProcessEnv = process.env): Promise<{ program: string } | string> => {
  const named = env['PROMTOOL'] ?? ''
  if (named !== '') return runs(named) ? { program: named } : `PROMTOOL=${named} does not run`
  const fetched = await fetchProgram(userCacheDir(env), debianPromtool, () => {})
  return typeof fetched === 'string' ? `${fetched}; set PROMTOOL to one` : fetched
}
