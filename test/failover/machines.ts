/**
 * Three database machines: each has its own network, process ids and files, PostgreSQL, Patroni and etcd, with the
 * configuration of deploy/ha. The program under test reaches them by a bridge.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loseOneWay, type Lost } from './one-way.ts'
import { askPatroni, readPatroniClient } from '../../server/src/app/cli/patroni-tls.ts'

const CONFIGURATION = join(import.meta.dirname, '../../deploy/ha')
const BRIDGE = 'bursar-ha'
/** The addresses of deploy/ha. */
export const CLIENTS = '10.88.0.1'
const GATEWAY = `${CLIENTS}/24`
const PASSWORD = 'secret'
const HEALTHY_MS = 180_000
/** Successive looks, one a second, that see health: the machines publish their state every three seconds. */
const LOOKS = 8

export interface Machine {
  name: 'db1' | 'db2' | 'db3'
  address: string
}

export const MACHINES: readonly Machine[] = (['db1', 'db2', 'db3'] as const).map((name, at) => ({
  name,
  address: `10.88.0.1${at + 1}`,
}))

interface Member {
  name: Machine['name']
  role: string
  state: string
  timeline?: number
  lag?: number | string
}

export interface Machines {
  /** The database `bursar`, by all machines. */
  url: string
  /** The database by one machine. */
  urlOf(machine: Machine): string
  /** Waits until one machine leads and the others follow it. @returns the leader, then its synchronous standby */
  healthy(): Promise<[leader: Machine, standby: Machine, other: Machine]>
  /** Connections to etcd and to Patroni that are answered although their certificate is missing or a wrong one. */
  open(): Promise<string[]>
  /** Ends all processes of a machine at once. */
  kill(machine: Machine): void
  start(machine: Machine): void
  /** Ends the first process of PostgreSQL, at once. */
  killServer(machine: Machine): void
  cut(machine: Machine): void
  mend(machine: Machine): void
  /** Loses packets of a machine, and none to it, until the returned function is called. */
  lose(machine: Machine, lost: readonly Lost[]): () => void
  /** Loses packets of the program under test to a machine. */
  loseToIt(machine: Machine): () => void
  freeze(machine: Machine): void
  thaw(machine: Machine): void
  /** `patronictl switchover` */
  switchover(from: Machine, to: Machine): void
  logs(): string
  stop(): void
}

const run = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const tryRun = (file: string, ...args: string[]): void => void spawnSync(file, args)

const linkOf = ({ name }: Machine): string => `bursar-${name}`

/** Removes what a killed run has left. */
const removeNetwork = (): void => {
  for (const machine of MACHINES) {
    const left = spawnSync('ip', ['netns', 'pids', linkOf(machine)], { encoding: 'utf8' }).stdout
    for (const pid of left.split('\n').filter(Boolean)) tryRun('kill', '-9', pid)
    tryRun('ip', 'link', 'del', linkOf(machine))
    tryRun('ip', 'netns', 'del', linkOf(machine))
  }
  tryRun('ip', 'link', 'del', BRIDGE)
}

const addNetwork = (): void => {
  run('ip', 'link', 'add', BRIDGE, 'type', 'bridge')
  run('ip', 'addr', 'add', GATEWAY, 'dev', BRIDGE)
  run('ip', 'link', 'set', BRIDGE, 'up')
  for (const machine of MACHINES) {
    const link = linkOf(machine)
    run('ip', 'netns', 'add', link)
    run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', link)
    run('ip', 'link', 'set', link, 'master', BRIDGE, 'up')
    run('ip', '-n', link, 'addr', 'add', `${machine.address}/24`, 'dev', 'eth0')
    run('ip', '-n', link, 'link', 'set', 'eth0', 'up')
    run('ip', '-n', link, 'link', 'set', 'lo', 'up')
  }
}

/** Makes the certificates as the page does. */
const makeCertificates = (dir: string): void =>
  void run(
    'sh',
    join(CONFIGURATION, 'certificates.sh'),
    dir,
    ...MACHINES.map(({ name, address }) => `${name}=${address}`),
  )

/** Writes the configuration of a machine beside its certificate. */
const configure = (dir: string, machine: Machine, isQuorum: boolean): void => {
  const own = join(dir, machine.name)
  for (const folder of ['pg', 'etc', 'etcd', 'run']) mkdirSync(join(own, folder), { recursive: true })
  const etc = (name: string): string => join(own, 'etc', name)
  const fill = (name: string): string =>
    readFileSync(join(CONFIGURATION, name), 'utf8').replaceAll('CHANGE-ME', PASSWORD)
  const ofThis = (line: string): string =>
    line.replaceAll('10.88.0.11', machine.address).replace(/=db1$/, `=${machine.name}`)
  const isShared = (line: string): boolean => /^(ETCD_INITIAL_CLUSTER|PATRONI_ETCD3_HOSTS)=/.test(line)
  for (const name of ['node.env', 'etcd.env']) {
    const lines = fill(name).split('\n')
    writeFileSync(etc(name), lines.map((line) => (isShared(line) ? line : ofThis(line))).join('\n'))
  }
  const patroni = readFileSync(join(CONFIGURATION, 'patroni.yml'), 'utf8')
  const mode = 'synchronous_mode: true\n'
  if (!patroni.includes(mode)) throw new Error('patroni.yml has another synchronous_mode')
  writeFileSync(etc('patroni.yml'), isQuorum ? patroni.replace(mode, 'synchronous_mode: quorum\n') : patroni)
  for (const name of ['ca.crt', 'clients.crt', 'server.crt', 'server.key']) copyFileSync(join(own, name), etc(name))
}

/** The first process of a machine: it starts the services as systemd does from the same environment files. */
const INIT = `
mount --bind "$OWN/pg" "$ROOT/var/lib/postgresql"
mkdir -p "$ROOT/etc/patroni"
mount --bind "$OWN/etc" "$ROOT/etc/patroni"
mkdir -p "$ROOT/etc/etcd"
mount --bind "$OWN/etc" "$ROOT/etc/etcd"
mount --bind "$OWN/etcd" "$ROOT/var/lib/etcd"
mount --bind "$OWN/run" "$ROOT/run/postgresql"
mount -t tmpfs tmpfs "$ROOT/dev/shm"
exec chroot "$ROOT" sh -c '
  set -a
  . /etc/patroni/etcd.env
  while :; do etcd; sleep 2; done >>/var/lib/etcd/log 2>&1 &
  . /etc/patroni/node.env
  HOME=/var/lib/postgresql
  while :; do
    setpriv --reuid=postgres --regid=postgres --init-groups patroni /etc/patroni/patroni.yml
    sleep 2
  done >>/var/lib/postgresql/log 2>&1'
`

export const startMachines = async (
  root: string,
  dir: string,
  { isQuorum = false }: { isQuorum?: boolean } = {},
): Promise<Machines> => {
  removeNetwork()
  addNetwork()
  makeCertificates(dir)
  const owner = run('stat', '-c', '%u:%g', join(root, 'var/lib/postgresql')).trim()
  const inits = new Map<Machine, number>()
  const start = (machine: Machine): void => {
    const own = join(dir, machine.name)
    const output = openSync(join(own, 'output'), 'a')
    const isolation = ['--pid', '--fork', '--kill-child', '--mount', `--mount-proc=${join(root, 'proc')}`]
    const child = spawn('ip', ['netns', 'exec', linkOf(machine), 'unshare', ...isolation, 'sh', '-c', INIT], {
      env: { PATH: process.env['PATH'], OWN: own, ROOT: root, LC_ALL: 'C' },
      stdio: ['ignore', output, output],
    })
    inits.set(machine, child.pid!)
  }
  /** The first process as this machine numbers it: the child of `unshare`. */
  const initOf = (machine: Machine): number => {
    const pid = inits.get(machine)!
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
  }
  /** All processes of a machine share its namespace of process ids. */
  const processesOf = (machine: Machine): string[] =>
    run('ip', 'netns', 'pids', linkOf(machine)).split('\n').filter(Boolean)
  const urlOf = (hosts: string): string =>
    `postgres://postgres:${PASSWORD}@${hosts}/bursar?target_session_attrs=read-write&sslmode=verify-full&sslrootcert=${join(dir, 'ca.crt')}`
  const client = readPatroniClient(join(dir, 'doctor'))
  /** The members as each machine sees them. One that was cut off has an old view for some seconds. */
  const views = async (): Promise<Member[][]> =>
    Promise.all(
      MACHINES.map(async ({ address }) => {
        const answer = await askPatroni(`https://${address}:8008/cluster`, client).catch(() => undefined)
        return answer === undefined ? [] : (answer as { members: Member[] }).members
      }),
    )
  const machines: Machines = {
    url: urlOf(MACHINES.map(({ address }) => `${address}:5432`).join()),
    urlOf: ({ address }) => urlOf(`${address}:5432`),
    healthy: async () => {
      let seen: Member[][] = []
      let looks = 0
      for (const until = performance.now() + HEALTHY_MS; performance.now() < until; await sleep(1_000)) {
        seen = await views()
        const having = (role: string): Machine[] =>
          MACHINES.filter(({ name }) =>
            seen.every((members) => members.some((one) => one.name === name && one.role === role)),
          )
        const standbys = isQuorum ? having('quorum_standby') : [...having('sync_standby'), ...having('replica')]
        const [leader, standby, other] = [having('leader')[0], ...standbys]
        const followers = seen.flat().filter(({ state, lag }) => state === 'streaming' && lag === 0)
        const isOne = new Set(seen.flat().map(({ timeline }) => timeline)).size === 1
        looks = leader && standby && other && followers.length === 6 && isOne ? looks + 1 : 0
        if (looks === LOOKS) return [leader!, standby!, other!]
      }
      throw new Error(`the database machines did not agree: ${JSON.stringify(seen)}\n${machines.logs()}`)
    },
    open: async () => {
      const tried = MACHINES.flatMap(({ address }) => [
        { url: `http://${address}:8008/cluster`, as: {} },
        { url: `https://${address}:8008/cluster`, as: { ca: client.ca } },
        { url: `http://${address}:2379/version`, as: {} },
        { url: `https://${address}:2379/version`, as: { ca: client.ca } },
        // The certificate of doctor is for Patroni alone.
        { url: `https://${address}:2379/version`, as: client },
      ])
      const answered = await Promise.all(
        tried.map(({ url, as }) =>
          askPatroni(url, as).then(
            () => [url],
            () => [],
          ),
        ),
      )
      return answered.flat()
    },
    start,
    kill: (machine) => process.kill(initOf(machine), 'SIGKILL'),
    killServer: (machine) => {
      const pid = readFileSync(join(dir, machine.name, 'pg/17/bursar/postmaster.pid'), 'utf8').split('\n')[0]!
      run('nsenter', '--target', String(initOf(machine)), '--pid', 'kill', '-9', pid)
    },
    cut: (machine) => void run('ip', 'link', 'set', linkOf(machine), 'down'),
    mend: (machine) => void run('ip', 'link', 'set', linkOf(machine), 'up'),
    lose: (machine, lost) => loseOneWay({ namespace: linkOf(machine), device: 'eth0' }, lost),
    loseToIt: ({ address }) => loseOneWay({ device: BRIDGE }, [{ to: address }]),
    freeze: (machine) => void run('kill', '-STOP', ...processesOf(machine)),
    thaw: (machine) => void run('kill', '-CONT', ...processesOf(machine)),
    switchover: (from, to) => {
      const inside = ['--target', String(initOf(from)), '--all', 'chroot', root, 'sh', '-c']
      run(
        'nsenter',
        ...inside,
        `set -a; . /etc/patroni/node.env; patronictl -c /etc/patroni/patroni.yml switchover bursar --leader ${from.name} --candidate ${to.name} --force`,
      )
    },
    logs: () =>
      MACHINES.map(({ name }) => {
        const tail = (path: string): string => {
          try {
            return readFileSync(join(dir, name, path), 'utf8').slice(-3_000)
          } catch {
            return ''
          }
        }
        return `--- ${name}\n${tail('output')}\n${tail('pg/log')}`
      }).join('\n'),
    stop: () => {
      for (const machine of MACHINES) {
        try {
          machines.kill(machine)
        } catch {
          // It was killed by the test.
        }
      }
      removeNetwork()
    },
  }
  for (const machine of MACHINES) {
    configure(dir, machine, isQuorum)
    run('chown', '-R', owner, ...['pg', 'etc', 'run'].map((name) => join(dir, machine.name, name)))
    start(machine)
  }
  return machines
}
