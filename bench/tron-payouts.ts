/**
 * The cost of a withdrawal on TRON that a deposit address pays, compared with a sweep and a payment of the hot wallet
 * in the same run on the sandbox's chain: the TRX that all transactions burn, with those that lend energy. The hot
 * wallet has used its free bandwidth of that day, as a wallet that pays more than twice a day has.
 * `node bench/tron-payouts.ts`.
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
  const row = (name: string, { fromAddress, viaHotWallet }: Cost) => ({
    name: `TRON payout from a deposit address: ${name}`,
    unit: 'TRX',
    value: fromAddress,
    limit: viaHotWallet,
    limitName: 'sweep and payout',
  })
  return [
    atMost({ ...row('TRX', coin), goal: 0 }),
    stated(row('USDT, the address has TRX to burn', burning)),
    stated(row('USDT, energy lent first', lending)),
  ]
}

interface Cost {
  /** TRX that a payout from the deposit address burns */
  fromAddress: number
  /** TRX that a sweep and a payout from the hot wallet burn */
  viaHotWallet: number
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
    let [fromAddress, viaHotWallet] = [0n, 0n]
    for (let at = 0; at < ROUNDS; at += 1) {
      await world.nextDay()
      for (let sent = 0; sent < 2; sent += 1) await world.pay(world.hot, receiver, 'TRX')
      fromAddress += await leaves(world, accountOf(), receiver)
      viaHotWallet +=
        (await leaves(world, accountOf(), world.hot.address)) + (await world.pay(world.hot, receiver, ticker))
    }
    return { fromAddress: Number(fromAddress) / ROUNDS / SUN, viaHotWallet: Number(viaHotWallet) / ROUNDS / SUN }
  } finally {
    await world.close()
  }
}

if (import.meta.main) await report(run)
