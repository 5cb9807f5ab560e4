/**
 * The cost of a withdrawal on TRON when a deposit address pays it by itself, beside a sweep and a payment of the hot
 * wallet, in one run on the sandbox's chain: TRX burnt by all transactions, those that lend energy included. The hot
 * wallet has sent what it may send for nothing that day, as one that pays more than twice a day has. `node
 * bench/tron-direct.ts`.
 */
import { report } from './report.ts'
import { atMost, stated, type Row } from './row.ts'
import { accountOf, openBenchWorld, type Account } from './tron-sweeps/test-world.ts'

const ROUNDS = 5
const STAKE = 200_000_000_000n
const SUN = 1_000_000

type World = Awaited<ReturnType<typeof openBenchWorld>>

export const run = async (): Promise<Row[]> => {
  const coin = await measure(
    false,
    async (world, account, to) => {
      await world.fund('TRX', account.address, '100')
      return world.pay(account, to, 'TRX')
    },
    'TRX',
  )
  const burning = await measure(
    false,
    async (world, account, to) => {
      await world.fund('USDT', account.address, '100')
      await world.fund('TRX', account.address, '30')
      return world.pay(account, to, 'USDT')
    },
    'USDT',
  )
  const lending = await measure(
    true,
    async (world, account, to) => {
      await world.fund('TRX', account.address, '1')
      await world.fund('USDT', account.address, '100')
      return world.lending(account, () => world.pay(account, to, 'USDT'))
    },
    'USDT',
  )
  const row = (name: string, { straight, round }: Cost) => ({
    name: `TRON straight payment: ${name}`,
    unit: 'TRX',
    value: straight,
    limit: round,
    limitName: 'sweep and payout',
  })
  return [
    atMost({ ...row('TRX', coin), goal: 0 }),
    stated(row('USDT, the address has TRX to burn', burning)),
    stated(row('USDT, energy lent first', lending)),
  ]
}

interface Cost {
  straight: number
  round: number
}

/** @param leaves the transactions that take it from a deposit address to a person, which may be the hot wallet */
const measure = async (
  staked: boolean,
  leaves: (world: World, account: Account, to: string) => Promise<bigint>,
  ticker: 'TRX' | 'USDT',
): Promise<Cost> => {
  const world = await openBenchWorld()
  try {
    if (staked) await world.stake(STAKE)
    await world.fund('USDT', world.hot.address, '1000')
    const receiver = accountOf().address
    // An account already, which has held the token before.
    await world.fund('TRX', receiver, '1')
    await world.fund('USDT', receiver, '1')
    let [straight, round] = [0n, 0n]
    for (let at = 0; at < ROUNDS; at += 1) {
      await world.nextDay()
      for (let sent = 0; sent < 2; sent += 1) await world.pay(world.hot, receiver, 'TRX')
      straight += await leaves(world, accountOf(), receiver)
      round += (await leaves(world, accountOf(), world.hot.address)) + (await world.pay(world.hot, receiver, ticker))
    }
    return { straight: Number(straight) / ROUNDS / SUN, round: Number(round) / ROUNDS / SUN }
  } finally {
    await world.close()
  }
}

if (import.meta.main) await report(run)
