/**
 * The cost of sweeping an address on an EVM chain, in gas: from receipts, in batches of 50 on anvil, beside the naive
 * way (send it coin for its gas, then let it send its balance) measured in the same run. `node bench/sweeps.ts`.
 */
import { CLEARED, COIN, FIAT_TOKEN_GAS, PAYMENT_GAS, TETHER_GAS, chooseSweep } from '@bursar/chainkit/evm'
import type { Hex, SweepWay } from '@bursar/chainkit/evm'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSweepWorld, type SweepWorld } from '../test/world/sweep-contracts.ts'
import { startAnvil } from '../sandbox/anvil/index.ts'
import { report } from './report.ts'
import { atMost, stated, type Row } from './row.ts'
import { BATCH, measure, type AddressKind } from './sweeps/measuring.ts'

interface Case {
  name: string
  assets: (world: SweepWorld) => Hex[]
  kind: AddressKind
  /** the first is the naive one */
  ways: SweepWay[]
  goals?: Partial<Record<SweepWay, number>>
  setCode?: boolean
}

const CASES: Case[] = [
  {
    name: 'USDT, first',
    assets: ({ usdt }) => [usdt],
    kind: 'new',
    ways: ['top-up', 'delegate'],
    goals: { delegate: 0.8 },
  },
  {
    name: 'USDT, later',
    assets: ({ usdt }) => [usdt],
    kind: 'delegated',
    ways: ['top-up', 'delegate'],
    goals: { delegate: 0.4 },
  },
  {
    name: 'USDC, first',
    assets: ({ usdc }) => [usdc],
    kind: 'new',
    ways: ['top-up', 'delegate', 'authorize'],
  },
  { name: 'USDC, later', assets: ({ usdc }) => [usdc], kind: 'delegated', ways: ['top-up', 'delegate'] },
  {
    name: 'USDC, first, no EIP-7702',
    assets: ({ usdc }) => [usdc],
    kind: 'new',
    ways: ['top-up', 'authorize'],
    setCode: false,
  },
  { name: 'coin, first', assets: () => [COIN], kind: 'new', ways: ['direct', 'delegate'] },
  { name: 'coin, later', assets: () => [COIN], kind: 'delegated', ways: ['direct', 'delegate'] },
  {
    name: 'USDT, USDC and coin, first',
    assets: ({ usdt, usdc }) => [usdt, usdc, COIN],
    kind: 'new',
    ways: ['direct', 'delegate'],
  },
  {
    name: 'USDT, USDC and coin, later',
    assets: ({ usdt, usdc }) => [usdt, usdc, COIN],
    kind: 'delegated',
    ways: ['direct', 'delegate'],
  },
]
const WAYS: Record<SweepWay, string> = {
  delegate: 'EIP-7702',
  authorize: 'EIP-3009',
  direct: 'its own transactions',
  'top-up': 'coin sent, then its own transaction',
}
const PLENTY = 10n ** 20n
/** How far the engine's estimates may be off, so that it compares the fees that are paid. */
const ESTIMATES = 1.03

export const run = async (): Promise<Row[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-bench-sweeps-'))
  const node = await startAnvil({
    name: 'bench-sweeps',
    chainId: 31_337,
    port: 0,
    slotsInEpoch: 1,
    logFile: join(folder, 'anvil.log'),
  })
  try {
    const world = await openSweepWorld(node)
    const figures: Figures[] = []
    for (const one of CASES) figures.push(await figuresOf(world, one))
    const [chosen, cheapest] = [sum(figures.map((one) => one.chosen)), sum(figures.map((one) => one.cheapest))]
    const worst = Math.max(...figures.map(({ estimate, chosen }) => Math.max(estimate / chosen, chosen / estimate)))
    return [
      ...figures.flatMap(({ rows }) => rows),
      ...fromDepositAddress(new Map(CASES.map(({ name }, i) => [name, figures[i]!]))),
      atMost({
        name: `sweeps: the ways that the engine picks, ${CASES.length} cases`,
        unit: 'gas',
        value: chosen,
        limit: cheapest,
        limitName: 'the cheapest measured',
        goal: 1,
      }),
      atMost({
        name: "sweeps: the engine's worst estimate, ratio to the cost",
        unit: '',
        value: worst,
        limit: 1,
        limitName: 'exact',
        goal: ESTIMATES,
      }),
    ]
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true })
  }
}

interface Figures {
  rows: Row[]
  measured: ReadonlyMap<SweepWay, number>
  /** gas */
  chosen: number
  cheapest: number
  estimate: number
}

const figuresOf = async (world: SweepWorld, one: Case): Promise<Figures> => {
  const [naive, ...others] = one.ways
  const measured = new Map<SweepWay, number>()
  for (const way of one.ways) {
    const assets = one.assets(world)
    const used = await measure(world, assets, way, one.kind)
    const isNew = way === 'delegate' && one.kind === 'new' && !assets.includes(COIN)
    measured.set(way, isNew ? ofNewAccount(used) : used)
  }
  const limit = measured.get(naive!)!
  const rows = others.map((way) => {
    const figure = {
      name: `sweeps: ${one.name}, by ${WAYS[way]}`,
      unit: 'gas',
      value: measured.get(way)!,
      limit,
      limitName: WAYS[naive!],
    }
    const goal = one.goals?.[way]
    return goal === undefined ? stated(figure) : atMost({ ...figure, goal })
  })
  const { way, estimate } = pick(world, one)
  return { rows, measured, chosen: measured.get(way)!, cheapest: Math.min(...measured.values()), estimate }
}

/**
 * Returns the cost of paying a withdrawal directly from the deposit address, compared with the cheapest sweep and a
 * payment by the hot wallet.
 */
const fromDepositAddress = (figures: ReadonlyMap<string, Figures>): Row[] => {
  const gas = Number(PAYMENT_GAS)
  const cheapest = (name: string): number => Math.min(...figures.get(name)!.measured.values())
  const token = figures.get('USDT, first')!.measured.get('top-up')! - gas
  const row = (name: string, value: number, sweep: number, payment: number): Row =>
    stated({
      name: `sweeps: payout from a deposit address: ${name}`,
      unit: 'gas',
      value,
      limit: sweep + payment,
      limitName: 'cheapest sweep, then the hot wallet',
    })
  return [
    row('coin', gas, cheapest('coin, first'), gas),
    row('USDT, coin is there, first', token, cheapest('USDT, first'), token),
    row('USDT, coin is sent, first', gas + token, cheapest('USDT, first'), token),
    row('USDT, coin is sent, later', gas + token, cheapest('USDT, later'), token),
  ]
}

/**
 * anvil counts every account as known, and gives back 12,500 of each authorisation (EIP-7702) though the chain has
 * never seen the account. With the refund of a cleared balance that is more than the fifth that counts, so all that
 * was used is five quarters of the receipt's figure; of a new account only the cleared balance is given back.
 */
const ofNewAccount = (used: number): number => (used * 5) / 4 - Number(CLEARED)

/** The engine's choice for the same address, from the platform's data alone. */
const pick = (world: SweepWorld, { assets, kind, setCode = true }: Case): { way: SweepWay; estimate: number } => {
  const held = assets(world)
  const gas = (asset: Hex) => (asset === COIN ? {} : { gas: asset === world.usdt ? TETHER_GAS : FIAT_TOKEN_GAS })
  const holdings = held.map((asset) => ({ asset, worth: PLENTY, ...gas(asset) }))
  const address = {
    delegated: kind === 'delegated',
    exists: kind !== 'new' || held.includes(COIN),
    holdings,
    further: 0,
  }
  const choice = chooseSweep(address, { gasPrice: world.maxFeePerGas, batchSize: BATCH, setCode, kPerMille: 1_000n })
  const ways = new Set(choice!.moves.map(({ way }) => way))
  if (ways.size !== 1) throw new Error(`the engine mixes ways: ${[...ways].join(', ')}`)
  return { way: choice!.moves[0]!.way, estimate: Number(choice!.gas) }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

if (import.meta.main) await report(run)
