/** Conditions that must hold when all orders have ended after kills; each violation is a line. */
import type { Merchant } from '../../system/connected.ts'
import type { Sandbox } from '../../system/sandbox.ts'
import { balanceOf, NETWORKS, scaled, TICKERS, type Load } from './load.ts'

/** Blocks that make everything final on each network of the sandbox. */
const BLOCKS = { BITCOIN: 8, ETHEREUM: 4, BINANCE_SMART_CHAIN: 20, TRON: 25 } as const
/** Real time between further blocks, for the watchers to read them. */
const BLOCKS_EVERY_MS = 1_000
/** Business time that passes with them, so that waiting retries become due. */
const ADVANCE_MS = 10_000
const PATIENCE_MS = 1_200_000

type Notice = Record<string, unknown> & { id: string; status: string; kind: string }

export interface Start {
  balances: Record<string, bigint>
  /** `seq` of the newest message */
  after: number
}

/** @param known `seq` of a message that has come: only later ones are read */
export const startOf = async (sandbox: Sandbox, known: number): Promise<Start> => {
  const [shop] = sandbox.merchants
  const balances: Record<string, bigint> = {}
  for (const ticker of TICKERS) balances[ticker] = await balanceOf(shop, ticker)
  const all = await Promise.all(sandbox.merchants.map((merchant) => sandbox.messages(merchant, known)))
  return { balances, after: all.flat().reduce((most, { seq }) => Math.max(most, seq), known) }
}

const noticesOf = async (sandbox: Sandbox, merchant: Merchant, after: number): Promise<Notice[]> =>
  (await sandbox.messages(merchant, after)).map(({ body }) => JSON.parse(body) as Notice)

/**
 * Brings everything to its end and compares: receivers with the ordered amounts, the balance with the sums in and out,
 * notifications with orders, the books with the chains.
 * @returns the orders that are lost, made twice, or not ended
 */
export const check = async (sandbox: Sandbox, load: Load, start: Start): Promise<string[]> => {
  await untilEnded(sandbox, load)
  return [
    ...(await receivers(sandbox, load)),
    ...(await notified(sandbox, load, start)),
    ...(await reconciled(sandbox)),
  ]
}

const untilEnded = async (sandbox: Sandbox, load: Load): Promise<void> => {
  const passing = setInterval(() => void sandbox.advance(ADVANCE_MS).catch(() => {}), BLOCKS_EVERY_MS)
  try {
    await load.done()
  } finally {
    clearInterval(passing)
  }
  for (const network of NETWORKS) await sandbox.mine(network, BLOCKS[network])
  let minedAt = performance.now()
  await sandbox.until(
    'the end of every transaction and withdrawal',
    async () => {
      const [left] = await sandbox.query<{ n: number }>(
        `select (select count(*) from outgoing where state not in ('final', 'failed', 'abandoned', 'offered'))::int
          + (select count(*) from withdrawals where state not in ('settled', 'delivered', 'failed'))::int
          + (select count(*) from event_streams)::int as n`,
      )
      if (left!.n === 0) return true
      if (performance.now() - minedAt < BLOCKS_EVERY_MS) return false
      for (const network of NETWORKS) await sandbox.mine(network, 2)
      await sandbox.advance(ADVANCE_MS)
      minedAt = performance.now()
      return false
    },
    PATIENCE_MS,
  )
}

const receivers = async (sandbox: Sandbox, load: Load): Promise<string[]> => {
  const wrong: string[] = []
  for (const { network, ticker, to, amount } of load.withdrawals) {
    const has = await sandbox.balanceOf(network, ticker, to)
    if (scaled(has) !== scaled(amount))
      wrong.push(`${to} on ${network} has ${has} ${ticker}, and ${amount} was ordered`)
  }
  return wrong
}

const notified = async (sandbox: Sandbox, load: Load, { balances, after }: Start): Promise<string[]> => {
  const [shop, market] = sandbox.merchants
  const wrong: string[] = []
  const ours = await noticesOf(sandbox, shop, after)
  const theirs = await noticesOf(sandbox, market, after)
  const doneOf = (all: readonly Notice[], id: string): Notice[] =>
    all.filter((notice) => notice.id === id && notice.status === 'Done')
  const change: Record<string, bigint> = {}
  const add = (ticker: string, units: bigint): void => void (change[ticker] = (change[ticker] ?? 0n) + units)
  for (const order of load.withdrawals) {
    const id = await order.answered
    const done = doneOf(ours, id)
    if (done.length !== 1) wrong.push(`withdrawal ${id}: Done was sent ${done.length} times`)
    else add(order.ticker, -scaled(done[0]!['amount'] as string) - scaled(done[0]!['fee'] as string))
  }
  for (const order of load.exchanges) {
    const id = await order.answered
    const done = doneOf(theirs, id)
    if (done.length !== 1) wrong.push(`exchange ${id}: Done was sent ${done.length} times`)
  }
  for (const { ticker, amount, paid } of load.deposits) {
    const address = await paid
    const done = ours.filter((notice) => notice['to'] === address && notice.status === 'Done')
    if (done.length !== 1) wrong.push(`deposit to ${address}: Done was sent ${done.length} times`)
    add(ticker, scaled(amount))
  }
  for (const ticker of TICKERS) {
    const now = await balanceOf(shop, ticker)
    const expected = balances[ticker]! + (change[ticker] ?? 0n)
    if (now !== expected) wrong.push(`the balance in ${ticker} is ${now}, and ${expected} is expected (10^-18)`)
  }
  const localIds = [...load.withdrawals, ...load.exchanges].map(({ localId }) => localId)
  const twice = await sandbox.query<{ local_id: string }>(
    `select local_id from (select local_id from withdrawals union all select local_id from exchanges) o
      where local_id = any($1) group by 1 having count(*) <> 1`,
    [localIds],
  )
  return [...wrong, ...twice.map(({ local_id: id }) => `order ${id} was made more than once`)]
}

/** Compares the books with all chains; that takes several looks while blocks come. */
const reconciled = async (sandbox: Sandbox): Promise<string[]> => {
  let text = ''
  const agrees = async (): Promise<boolean> => {
    ;({ text } = await sandbox.bursar('reconcile', '--full'))
    const isWhole = NETWORKS.every((network) => text.includes(`${network}: compared`))
    return isWhole && text.includes('the ledger is consistent, and the chains agree with it')
  }
  return sandbox.until('books and chains agree', agrees, PATIENCE_MS).then(
    () => [],
    () => [text],
  )
}
