/** The cells of the long run: what is ordered, and where which process is killed while it is under way. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Network, Role } from '../../system/connected.ts'
import type { Sandbox } from '../../system/sandbox.ts'
import { startDyingSigner } from '../dying-signer.ts'
import { SENDING } from '../matrix.ts'
import { NETWORKS, type Load } from './load.ts'

export interface Cell {
  /** `operation: role at point` */
  name: string
  /** Orders, kills, and starts all roles again. @returns number of processes killed, and the longest start in ms */
  run(scene: Scene): Promise<{ kills: number; readyMs: number }>
}

export interface Scene {
  sandbox: Sandbox
  load: Load
  /** a number from 0 to below `below`, from the seed of the round */
  draw(below: number): number
}

type Serving = Exclude<Role, 'signer'>
const ROLES: readonly Role[] = ['api', 'worker', 'watcher', 'signer']
/** Orders at a time, so that one kill hits several. */
const MANY = 4

/** Kills roles and starts them again, together. */
const revive = async ({ sandbox }: Scene, roles: readonly Role[]): Promise<number> => {
  await Promise.all(roles.map((role) => sandbox.kill(role)))
  const began = performance.now()
  // A worker that starts before its signer waits for it.
  await Promise.all(roles.map((role) => sandbox.start(role)))
  // What a dead worker had claimed is free again when its lease is over.
  await sandbox.advance(60_000)
  return Math.round(performance.now() - began)
}

/** The named role, and each other one in one of two cases. */
const withOthers = ({ draw }: Scene, role: Role): Role[] => [
  role,
  ...ROLES.filter((other) => other !== role && draw(2) === 0),
]

const atPoint = (name: string, role: Serving, point: string, order: (scene: Scene) => Promise<unknown>): Cell => ({
  name: `${name}: ${role} at ${point}`,
  run: async (scene) => {
    const { sandbox } = scene
    await sandbox.kill(role)
    await sandbox.start(role, { BURSAR_SANDBOX_PAUSE: point })
    await order(scene)
    await sandbox.paused(role, point)
    const roles = withOthers(scene, role)
    const readyMs = await revive(scene, roles)
    // The first kill found the role at rest: it is not counted.
    return { kills: roles.length, readyMs }
  },
})

const times = async (count: number, order: () => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < count; i += 1) await order()
}
const CHOSEN: Record<Network, string> = {
  BITCOIN: 'batch-chosen',
  ETHEREUM: 'payout-chosen',
  BINANCE_SMART_CHAIN: 'payout-chosen',
  TRON: 'payout-chosen',
}

const withdrawals = NETWORKS.flatMap((network) =>
  [CHOSEN[network], ...SENDING].map((point) =>
    atPoint(`withdrawals on ${network}`, 'worker', point, ({ load }) => times(MANY, () => load.withdraw(network))),
  ),
)
const deposits = NETWORKS.flatMap((network) =>
  ['blocks-read', 'blocks-not-committed', 'blocks-applied'].map((point) =>
    atPoint(`deposits on ${network}`, 'watcher', `${point}@${network}`, async ({ sandbox, load }) => {
      await times(2, () => load.deposit(network))
      await sandbox.mine(network, 1)
    }),
  ),
)
const orders = NETWORKS.map((network) =>
  atPoint(`withdrawals on ${network}`, 'api', 'committed-not-answered', ({ load }) =>
    times(MANY, () => load.withdraw(network)),
  ),
)
const exchanges = [
  atPoint('exchanges', 'api', 'committed-not-answered', async ({ load }) => {
    for (let i = 0; i < MANY; i += 1) load.exchange()
  }),
]
const notifications = ['notifications-claimed', 'deliveries-not-recorded'].map((point) =>
  atPoint('notifications of exchanges', 'worker', point, async ({ load }) => {
    for (let i = 0; i < MANY; i += 1) load.exchange()
  }),
)

const signing = NETWORKS.map((network): Cell => ({
  name: `withdrawals on ${network}: signer between log and answer`,
  run: async (scene) => {
    const { sandbox, load } = scene
    await sandbox.kill('signer')
    const dying = await startDyingSigner(sandbox)
    await times(MANY, () => load.withdraw(network))
    await dying.ended
    const others = withOthers(scene, 'signer')
    const readyMs = await revive(scene, others)
    return { kills: others.length, readyMs }
  },
}))

/** At most so long after the orders, ms. */
const LATEST_MS = 2_000
const KILLS = 5

const moments = (['api', 'worker', 'watcher', 'signer', 'several roles'] as const).map((role): Cell => ({
  name: `everything: ${role} at any moment`,
  run: async (scene) => {
    const { load, draw } = scene
    let [kills, readyMs] = [0, 0]
    for (let i = 0; i < KILLS; i += 1) {
      const network = NETWORKS[draw(NETWORKS.length)]!
      await Promise.all([load.withdraw(network), load.deposit(network)])
      load.exchange()
      await sleep(draw(LATEST_MS))
      const roles = role === 'several roles' ? withOthers(scene, ROLES[draw(ROLES.length)]!) : [role]
      readyMs = Math.max(readyMs, await revive(scene, roles))
      kills += roles.length
    }
    return { kills, readyMs }
  },
}))

export const CELLS: readonly Cell[] = [
  ...withdrawals,
  ...deposits,
  ...orders,
  ...exchanges,
  ...notifications,
  ...signing,
  ...moments,
]
