/**
 * The costs of Bitcoin payouts, in virtual bytes and satoshi of the transactions that bitcoind takes into its blocks:
 * the jobs, the database and the signer make them. Batches of 20 beside single payouts, and small coins spent as they
 * are beside joined first while fees are low. `node bench/bitcoin-costs.ts`.
 */
import { findBitcoind, startBitcoind, type Bitcoind } from '../sandbox/bitcoind/index.ts'
import { openBitcoinMoney, type BitcoinMoney } from '../test/world/bitcoin-money.ts'
import { migrate } from '../server/src/platform/db/index.ts'
import { bitcoinHotAddress } from '../server/src/chain/transactions/index.ts'
import { report } from './report.ts'
import { atMost, stated, reported, type Row } from './row.ts'
import { createDatabase, withServer } from './server.ts'

const PAYOUTS = 20
const UNITS = 50_000n
const FINAL = 6
/** satoshi in a coin that one payout spends, and in one of a busy shop's deposits */
const [LARGE, SMALL] = [5_000_000n, 60_000n]
const SMALL_COINS = 60
/** thousandths of a satoshi a virtual byte: a quiet night, and a day when everybody pays */
const [QUIET, BUSY] = [2_000n, 30_000n]

interface Measured {
  /** virtual bytes, by the purpose of the transactions */
  payout: number
  consolidation: number
  /** satoshi of all of them */
  fees: bigint
  transactions: number
}

interface Case {
  coins: readonly bigint[]
  mostPayments: number
  /** join the small coins first, at the quiet rate */
  join?: boolean
}

export const run = async (): Promise<Row[]> => {
  const found = await findBitcoind({ log: (line) => console.error(line) })
  if (!('program' in found)) throw new Error(`this bench needs a bitcoind: ${found.missing}`)
  return withServer('bitcoin', async (url, folder) => {
    const node = await startBitcoind({ program: found.program, dataDir: `${folder}/bitcoind` })
    try {
      const measured: Record<string, Measured> = {}
      for (const [name, one] of Object.entries(cases))
        measured[name] = await measure(node, await database(url, name), one)
      return rowsOf(measured as Record<keyof typeof cases, Measured>)
    } finally {
      await node.stop()
    }
  })
}

const times = (count: number, units: bigint): bigint[] => Array.from({ length: count }, () => units)
const cases = {
  single: { coins: times(PAYOUTS, LARGE), mostPayments: 1 },
  batch: { coins: times(PAYOUTS, LARGE), mostPayments: PAYOUTS },
  single_small: { coins: times(SMALL_COINS, SMALL), mostPayments: 1 },
  batch_small: { coins: times(SMALL_COINS, SMALL), mostPayments: PAYOUTS },
  batch_joined: { coins: times(SMALL_COINS, SMALL), mostPayments: PAYOUTS, join: true },
} satisfies Record<string, Case>

const database = async (server: string, name: string): Promise<string> => {
  const url = await createDatabase(server, name)
  await migrate(url)
  return url
}

/**
 * Makes the payouts, has them mined, and reads each transaction from the node. Throws when one is missing, or the books
 * are wrong.
 */
const measure = async (node: Bitcoind, url: string, { coins, mostPayments, join = false }: Case): Promise<Measured> => {
  const consolidation = { enabled: join, leastCoins: 2, mostCoins: coins.length, mostPerMille: 1000n }
  const money = await openBitcoinMoney(node, url, { sending: { mostPayments, maxFeePerMille: 1000n }, consolidation })
  try {
    await fill(money, coins)
    if (join) {
      money.rate(QUIET)
      await money.work()
      await money.mine(FINAL)
    }
    money.rate(BUSY)
    const ids: string[] = []
    for (let i = 0; i < PAYOUTS; i += 1) ids.push(await money.request(await money.chain.newAddress(), UNITS))
    await money.work()
    await money.mine(FINAL)
    const states = new Set(await Promise.all(ids.map(money.state)))
    if (states.size !== 1 || !states.has('settled'))
      throw new Error(`not all payouts are settled: ${[...states].join(', ')}`)
    const differences = await money.differences()
    if (differences.length > 0) throw new Error(`books and chain differ: ${differences.join(', ')}`)
    return await count(money)
  } finally {
    await money.close()
  }
}

/** Large coins are the owner's, small ones deposits, each at an address of its own. */
const fill = async (money: BitcoinMoney, coins: readonly bigint[]): Promise<void> => {
  const payments = []
  for (const units of coins)
    payments.push({ to: units === SMALL ? await money.address() : bitcoinHotAddress(money.wallet), units })
  await money.chain.payAll(payments)
  await money.mine(FINAL)
}

const count = async ({ chain, sent }: BitcoinMoney): Promise<Measured> => {
  const measured: Measured = { payout: 0, consolidation: 0, fees: 0n, transactions: 0 }
  for (const { purpose, hash, plannedFee, state } of await sent()) {
    if (state !== 'final' || (purpose !== 'payout' && purpose !== 'consolidation'))
      throw new Error(`a ${purpose} is ${state}`)
    const { vsize } = await chain.node.rpc<{ vsize: string }>('getrawtransaction', hash, 1)
    measured[purpose] += Number(vsize)
    measured.fees += plannedFee
    measured.transactions += 1
  }
  return measured
}

const rowsOf = ({
  single,
  batch,
  single_small,
  batch_small,
  batch_joined,
}: Record<keyof typeof cases, Measured>): Row[] => {
  const each = (vbytes: number): number => vbytes / PAYOUTS
  const vb = (name: string, value: Measured, limit: Measured) => ({
    name: `bitcoin: ${name}`,
    unit: 'vB each',
    value: each(value.payout),
    limit: each(limit.payout),
    limitName: 'single payouts',
  })
  const sat = (name: string, value: Measured) => ({
    name: `bitcoin: ${name}`,
    unit: 'sat',
    value: Number(value.fees),
    limit: Number(batch_small.fees),
    limitName: 'spent as they are',
  })
  return [
    atMost({ ...vb(`${PAYOUTS} payouts in one transaction`, batch, single), goal: 0.35 }),
    stated(vb(`${PAYOUTS} payouts in one transaction, of deposits of ${SMALL} sat`, batch_small, single_small)),
    stated(vb(`${PAYOUTS} payouts in one transaction, of such deposits joined before`, batch_joined, single_small)),
    reported(
      'bitcoin: joining small coins',
      batch_joined.consolidation / SMALL_COINS,
      'vB a coin',
      `${SMALL_COINS} with one transaction`,
    ),
    atMost({
      ...sat(
        `small coins joined at ${QUIET / 1000n}, ${PAYOUTS} payouts at ${BUSY / 1000n} sat/vB, all fees`,
        batch_joined,
      ),
      goal: 1,
    }),
  ]
}

if (import.meta.main) await report(run)
