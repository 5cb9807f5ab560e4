/** What must hold once everything has come to rest after kills; each violation is a line. */
import type { Merchant } from '../../system/connected.ts'
import type { Sandbox } from '../../system/sandbox.ts'
import { balanceOf, NETWORKS, scaled, TICKERS, type Load } from './load.ts'

/** Blocks that make everything final on each network of the sandbox. */
const BLOCKS = { BITCOIN: 8, ETHEREUM: 70, BINANCE_SMART_CHAIN: 20, TRON: 25 } as const
const PATIENCE_MS = 1_200_000

type Notice = Record<string, unknown> & { id: string; status: string; kind: string }

export interface Start {
  balances: Record<string, bigint>
  /** `seq` of the newest message */
  after: number
}

export const startOf = async (sandbox: Sandbox): Promise<Start> => {
  const [shop] = sandbox.merchants
  const balances: Record<string, bigint> = {}
  for (const ticker of TICKERS) balances[ticker] = await balanceOf(shop, ticker)
  const all = await Promise.all(sandbox.merchants.map((merchant) => sandbox.messages(merchant)))
  return { balances, after: Math.max(0, ...all.flat().map(({ seq }) => seq)) }
}

const noticesOf = async (sandbox: Sandbox, merchant: Merchant, after: number): Promise<Notice[]> =>
  (await sandbox.messages(merchant, after)).map(({ body }) => JSON.parse(body) as Notice)

/**
 * Brings everything to its end and compares: receivers with what was ordered, the balance with what went in and out,
 * notifications with orders, the books with the chains.
 * @returns what is lost, made twice, or not ended
 */
export const check = async (sandbox: Sandbox, load: Load, start: Start): Promise<string[]> => {
  await load.done()
  for (const network of NETWORKS) await sandbox.mine(network, BLOCKS[network])
  await sandbox.until(
    'the end of every transaction and withdrawal',
    async () => {
      const [left] = await sandbox.query<{ n: number }>(
        `select (select count(*) from outgoing where state not in ('final', 'failed', 'abandoned', 'offered'))::int
          + (select count(*) from withdrawals where state not in ('settled', 'delivered', 'failed'))::int
          + (select count(*) from event_streams)::int as n`,
      )
      if (left!.n === 0) return true
      for (const network of NETWORKS) await sandbox.mine(network, 2)
      return false
    },
    PATIENCE_MS,
  )
  return [
    ...(await receivers(sandbox, load)),
    ...(await notified(sandbox, load, start)),
    ...(await reconciled(sandbox)),
  ]
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
  for (const { ticker, amount, address } of load.deposits) {
    const done = ours.filter((notice) => notice['address'] === address && notice.status === 'Done')
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

/** The comparison of books and chains takes several looks while blocks come. */
const reconciled = async (sandbox: Sandbox): Promise<string[]> => {
  const wrong: string[] = []
  for (const network of NETWORKS) {
    let text = ''
    await sandbox
      .until(
        `books and ${network} agree`,
        async () => {
          ;({ text } = await sandbox.bursar('reconcile', '--network', network, '--full'))
          return text.includes('the ledger holds, and the chains agree')
        },
        PATIENCE_MS,
      )
      .catch(() => wrong.push(`${network}: ${text}`))
  }
  return wrong
}
