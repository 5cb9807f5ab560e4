/** Debian's Alertmanager: the installed one, or one that is fetched into the user's cache. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userCacheDir } from '../../sandbox/bitcoind/find.ts'
import { fetchProgram, type DebianProgram } from '../../sandbox/debian/fetch.ts'
import { reservePorts } from './ports.ts'

/** The program, and arguments before its own. */
export interface AlertmanagerProgram {
  command: readonly [string, ...string[]]
}

const tried = (...command: [string, ...string[]]): AlertmanagerProgram | string => {
  const [program, ...args] = command
  const { status, stderr, error } = spawnSync(program, [...args, '--version'], { encoding: 'utf8', timeout: 20_000 })
  return status === 0
    ? { command }
    : `${command.at(-1)} does not run: ${error?.message ?? stderr.trim().split('\n')[0]}`
}

/** Debian's build reads its templates in /usr/share: the process gets a file system that has the package's there. */
const WITH_SHARE = 'mount --bind "$1" /usr/share && shift && exec "$@"'

const debianAlertmanager: DebianProgram<AlertmanagerProgram> = {
  name: 'alertmanager',
  packages: ['prometheus-alertmanager'],
  without: ['libc6'],
  spare: ['root/usr/share/doc', 'root/usr/share/man', 'root/usr/bin/amtool', 'root/etc', 'root/var'],
  find: (folder) => {
    const root = join(folder, 'root/usr')
    const shell = ['--map-root-user', '--mount', 'sh', '-c', WITH_SHARE, 'sh', join(root, 'share')]
    return tried('unshare', ...shell, join(root, 'bin/prometheus-alertmanager'))
  },
}

/** Returns Alertmanager, or why there is none. */
export const findAlertmanager = async (): Promise<AlertmanagerProgram | string> => {
  const installed = '/usr/bin/prometheus-alertmanager'
  const found = existsSync(installed) ? tried(installed) : undefined
  return typeof found === 'object' ? found : fetchProgram(userCacheDir(), debianAlertmanager, () => {})
}

export interface Alertmanager {
  url: string
  stop(): Promise<void>
}

/**
 * Starts Alertmanager on this machine, and waits until it is ready.
 * @param folder of its settings and its data
 * @param settings of `alertmanager.yml`; JSON is YAML
 * @param login a user, and the bcrypt hash of the password that every request needs
 */
export const startAlertmanager = async (
  { command: [program, ...before] }: AlertmanagerProgram,
  folder: string,
  settings: object,
  login: { user: string; password: string; hash: string },
): Promise<Alertmanager> => {
  const [port] = await reservePorts(1)
  const [file, web] = [join(folder, 'alertmanager.yml'), join(folder, 'web.yml')]
  writeFileSync(file, JSON.stringify(settings))
  writeFileSync(web, JSON.stringify({ basic_auth_users: { [login.user]: login.hash } }))
  const child = spawn(
    program,
    [
      ...before,
      `--config.file=${file}`,
      `--web.config.file=${web}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let printed = ''
  child.stderr.on('data', (part: Buffer) => {
    printed = (printed + part.toString('utf8')).slice(-4_000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const authorization = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${port}/-/ready`, { headers: { authorization } }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) break
    if (child.exitCode !== null) throw new Error(`Alertmanager ended: ${printed}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}
