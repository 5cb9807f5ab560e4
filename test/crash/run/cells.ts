/** The cells of the long run: a kind of order, a process, and the point at which it is killed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Network, Role } from '../../system/connected.ts'
import type { Sandbox } from '../../system/sandbox.ts'
import { startDyingSigner } from '../dying-signer.ts'
import { SENDING } from '../matrix.ts'
import { NETWORKS, type Load } from './load.ts'

export interface Cell {
  /** `operation: role at point` */
  name: string
  role: Role | 'several'
  /**
   * Orders, starts the role and kills it while the orders are under way. The role is dead before and after. All roles
   * run before and after a cell of several.
   */
  run(scene: Scene): Promise<Killed>
}

interface Killed {
  /** number of processes */
  kills: number
  /** ms until a process answered after its start, the longest */
  readyMs: number
}

export interface Scene {
  sandbox: Sandbox
  load: Load
  /** a number from 0 to below `below`, from the seed of the run */
  draw(below: number): number
}

type Serving = Exclude<Role, 'signer'>
export const ROLES: readonly Role[] = ['api', 'worker', 'watcher', 'signer']
/** Orders at a time, so that one kill hits several. */
const MANY = 4

const started = async (sandbox: Sandbox, role: Role, env: Record<string, string> = {}): Promise<number> => {
  const began = performance.now()
  await sandbox.start(role, env)
  return Math.round(performance.now() - began)
}

/** Business time passes while a role is waited for: waiting retries become due. */
const NUDGE = { everyMs: 1_500, byMs: 10_000 }

const paused = async (sandbox: Sandbox, role: Serving, point: string): Promise<void> => {
  const nudging = setInterval(() => void sandbox.advance(NUDGE.byMs).catch(() => {}), NUDGE.everyMs)
  try {
    await sandbox.paused(role, point)
  } finally {
    clearInterval(nudging)
  }
}

/** @param order returns the localIds of its orders */
const atPoint = (name: string, role: Serving, point: string, order: (scene: Scene) => Promise<string[]>): Cell => ({
  name: `${name}: ${role} at ${point.split('@')[0]}`,
  role,
  run: async (scene) => {
    const { sandbox, load } = scene
    const ordered = await order(scene)
    const readyMs = await started(sandbox, role, { BURSAR_SANDBOX_PAUSE: point })
    await paused(sandbox, role, point)
    // Any order pauses it: one of these has to come to the point too.
    if (role === 'api') await load.committed(ordered)
    await sandbox.kill(role)
    return { kills: 1, readyMs }
  },
})

const withdrawn =
  (network: Network) =>
  async ({ load }: Scene): Promise<string[]> =>
    (await Promise.all(Array.from({ length: MANY }, () => load.withdraw(network)))).map(({ localId }) => localId)
const exchanged = async ({ load }: Scene): Promise<string[]> =>
  Array.from({ length: MANY }, () => load.exchange().localId)
const deposited =
  (network: Network) =>
  async ({ sandbox, load }: Scene): Promise<string[]> => {
    await Promise.all([load.deposit(network).paid, load.deposit(network).paid])
    await sandbox.mine(network, 1)
    return []
  }

const CHOSEN: Record<Network, string> = {
  BITCOIN: 'batch-chosen',
  ETHEREUM: 'payout-chosen',
  BINANCE_SMART_CHAIN: 'payout-chosen',
  TRON: 'payout-chosen',
}

const withdrawals = NETWORKS.flatMap((network) =>
  [CHOSEN[network], ...SENDING].map((point) =>
    atPoint(`withdrawals on ${network}`, 'worker', `${point}@${network}`, withdrawn(network)),
  ),
)
const deposits = NETWORKS.flatMap((network) =>
  ['blocks-read', 'blocks-not-committed', 'blocks-applied'].map((point) =>
    atPoint(`deposits on ${network}`, 'watcher', `${point}@${network}`, deposited(network)),
  ),
)
const orders = [
  ...NETWORKS.map((network) =>
    atPoint(`withdrawals on ${network}`, 'api', 'committed-not-answered', withdrawn(network)),
  ),
  atPoint('exchanges', 'api', 'committed-not-answered', exchanged),
]
const notifications = ['notifications-claimed', 'deliveries-not-recorded'].map((point) =>
  atPoint('notifications of exchanges', 'worker', point, exchanged),
)

const signing = NETWORKS.map((network): Cell => ({
  name: `withdrawals on ${network}: signer between log and answer`,
  role: 'signer',
  run: async (scene) => {
    const began = performance.now()
    const dying = await startDyingSigner(scene.sandbox, network)
    const readyMs = Math.round(performance.now() - began)
    await withdrawn(network)(scene)
    await dying.ended
    return { kills: 1, readyMs }
  },
}))

/** A kill comes at most so long after the start of a process, ms, and as long again as the start took. */
const LATEST_MS = 1_500

/** While so many orders wait for their answer, such as exchanges for prices, kills add none. */
const MOST_UNANSWERED = 20

const orderAll = async ({ load, draw }: Scene): Promise<void> => {
  if (load.unanswered >= MOST_UNANSWERED) return
  const network = NETWORKS[draw(NETWORKS.length)]!
  await load.withdraw(network)
  load.deposit(network)
  load.exchange()
}

export const isMoment = ({ name }: Cell): boolean => name.startsWith('everything: ')

const moments = ROLES.map((role): Cell => ({
  name: `everything: ${role} at any moment`,
  role,
  run: async (scene) => {
    await orderAll(scene)
    const readyMs = await started(scene.sandbox, role)
    // On a busy machine a role that lived for less would answer nothing.
    await sleep(scene.draw(LATEST_MS + readyMs))
    await scene.sandbox.kill(role)
    return { kills: 1, readyMs }
  },
}))

/** How often several roles are killed in one cell. */
const TIMES = 3

const together: Cell = {
  name: 'everything: several roles at any moment',
  role: 'several',
  run: async (scene) => {
    const { sandbox, draw } = scene
    let [kills, readyMs] = [0, 0]
    for (let i = 0; i < TIMES; i += 1) {
      await orderAll(scene)
      await sleep(draw(LATEST_MS))
      const spared = draw(2 * ROLES.length)
      const roles = ROLES.filter((_role, at) => at !== spared)
      await Promise.all(roles.map((role) => sandbox.kill(role)))
      // A worker that starts before its signer waits for it.
      const took = await Promise.all(roles.map((role) => started(sandbox, role)))
      kills += roles.length
      readyMs = Math.max(readyMs, ...took)
    }
    return { kills, readyMs }
  },
}

export const CELLS: readonly Cell[] = [
  ...withdrawals,
  ...deposits,
  ...orders,
  ...notifications,
  ...signing,
  ...moments,
  together,
]
