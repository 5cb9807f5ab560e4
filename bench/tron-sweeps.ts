/**
 * The cost of sweeping an address on TRON: the energy, and the TRX that all transactions of a sweep burn. One run on
 * the sandbox's chain measures sweeps with lent energy and sweeps that burn TRX. Its prices are the main network's; its
 * token takes 13,474 units of energy, Tether's contract about 65,000, so that lending saves more there. A new address
 * is activated either way, for 1.1 TRX. `node bench/tron-sweeps.ts`.
 */
import { report } from './report.ts'
import { atMost, stated, reported, type Row } from './row.ts'
import { accountOf, openBenchWorld, type Account, type Taken } from './tron-sweeps/test-world.ts'

/** Addresses of each case, swept one after the other within a day. */
const ADDRESSES = 20
const STAKE = 200_000_000_000n
const SUN = 1_000_000
/** sun that a known open-source wallet sends each address for its fees, for any amount of fees */
const FLAT = 40 * SUN

interface Case {
  trx: number
  energy: number
  left: number
}

export const run = async (): Promise<Row[]> => {
  const burning = await measure('burn')
  const lending = await measure('energy')
  const rows = (['first', 'later'] as const).flatMap((kind) => {
    const [lent, burned] = [lending[kind], burning[kind]]
    const name = `TRON sweeps: USDT, ${kind === 'first' ? 'new address' : 'later'}`
    const figure = {
      name: `${name}, energy lent`,
      unit: 'TRX',
      value: lent.trx,
      limit: burned.trx,
      limitName: 'TRX sent to the address and burned for energy',
    }
    return [
      kind === 'first' ? stated(figure) : atMost({ ...figure, goal: 0.4 }),
      reported(`${name}, energy`, lent.energy, 'energy'),
    ]
  })
  const { first } = burning
  return [
    ...rows,
    atMost({
      name: 'TRON sweeps: TRX left on an address that burned TRX for energy',
      unit: 'TRX',
      value: first.left,
      limit: FLAT / SUN - first.trx,
      limitName: 'left of 40 TRX sent to each address',
      goal: 0,
    }),
  ]
}

/** The mean of many addresses, when they are new and on a later day. */
const measure = async (way: 'burn' | 'energy'): Promise<{ first: Case; later: Case }> => {
  const world = await openBenchWorld()
  try {
    if (way === 'energy') await world.stake(STAKE)
    const accounts = Array.from({ length: ADDRESSES }, accountOf)
    const once = async (): Promise<Case> => {
      await world.nextDay()
      await world.fill(accounts)
      const taken: Taken[] = []
      for (const account of accounts) taken.push(await world.sweep(account))
      const other = taken.find((one) => one.way !== way)
      if (other) throw new Error(`an address was swept by ${other.way}, not by ${way}`)
      return {
        trx: mean(taken.map(({ burned }) => burned)) / SUN,
        energy: mean(taken.map(({ energy }) => energy)),
        left: await leftOn(accounts, world.leftOn),
      }
    }
    return { first: await once(), later: await once() }
  } finally {
    await world.close()
  }
}

const leftOn = async (accounts: readonly Account[], read: (account: Account) => Promise<bigint>): Promise<number> =>
  mean(await Promise.all(accounts.map(read))) / SUN

const mean = (values: readonly bigint[]): number =>
  Number(values.reduce((sum, value) => sum + value, 0n)) / values.length

if (import.meta.main) await report(run)
