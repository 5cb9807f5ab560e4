/** Debian's HAProxy: the installed one, or one that is fetched with its libraries into the cache. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { userCacheDir } from '../../sandbox/bitcoind/find.ts'
import { architectures, fetchProgram, type DebianProgram } from '../../sandbox/debian/fetch.ts'

export interface HaproxyProgram {
  program: string
  env: NodeJS.ProcessEnv
}

const tried = (program: string, env: NodeJS.ProcessEnv): HaproxyProgram | string => {
  const { status, stderr, error } = spawnSync(program, ['-v'], { encoding: 'utf8', timeout: 20_000, env })
  return status === 0 ? { program, env } : `${program} does not run: ${error?.message ?? stderr.trim().split('\n')[0]}`
}

const debianHaproxy: DebianProgram<HaproxyProgram> = {
  name: 'haproxy',
  packages: ['haproxy'],
  without: ['libc6'],
  spare: ['root/usr/share'],
  find: (folder) => {
    const triplet = architectures[process.arch]?.triplet ?? ''
    const libraries = ['usr/lib', 'lib'].map((place) => join(folder, 'root', place, triplet))
    return tried(join(folder, 'root/usr/sbin/haproxy'), { ...process.env, LD_LIBRARY_PATH: libraries.join(':') })
  },
}

/** Returns HAProxy, or why there is none. */
export const findHaproxy = async (): Promise<HaproxyProgram | string> => {
  const installed = '/usr/sbin/haproxy'
  const found = existsSync(installed) ? tried(installed, process.env) : undefined
  return typeof found === 'object' ? found : fetchProgram(userCacheDir(), debianHaproxy, () => {})
}
