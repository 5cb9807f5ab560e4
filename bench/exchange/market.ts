/** Prepares a market: order books of four sources, inventory, and accounts that pgbench finds by number. */
import { sql } from 'kysely'
import type { NewId } from '../../server/src/platform/base/id.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import { auditPositions, fundPosition } from '../../server/src/exchange/exchanges/index.ts'
import { applyAll, auditLedger, PLATFORM } from '../../server/src/ledger/postings/index.ts'
import { storeUsdtMarket } from '../../server/src/market/rates/usdt-market-store.ts'

const E18 = 10n ** 18n
/** The best ask: with the standard spread of 0.4 % a bitcoin costs 65,000. */
const ASK = 64_740n * E18
const LEVELS = 20
const SOURCES = ['binance', 'bybit', 'kraken', 'whitebit']
/** Ledger units, more than any run sells. */
const STOCK = 10n ** 20n

export const openMarket = async (db: Db, newId: NewId): Promise<void> => {
  const at = new Date()
  await storeBooks(db, new Date(at.getTime() + 3_600_000))
  for (const asset of ['BTC', 'USDT']) {
    await inTransaction(db, async (tx) => {
      const id = newId()
      const entry = (kind: 'capital' | 'custody:BITCOIN', posted: bigint) => ({
        account: { merchantId: PLATFORM, asset, kind },
        posted,
        held: 0n,
      })
      // Merchants were funded from capital, which is far below zero: the money to trade with is added to it.
      const { rows } = await sql<{
        units: bigint
      }>`select coalesce(sum(posted), 0) as units from ledger_accounts where asset = ${asset} and kind = 'capital'`.execute(
        tx,
      )
      const units = STOCK - rows[0]!.units
      await applyAll(tx, [
        {
          transfer: {
            id,
            merchantId: PLATFORM,
            kind: 'post',
            cause: { kind: 'adjustment', id },
            entries: [entry('capital', units), entry('custody:BITCOIN', -units)],
            at,
          },
        },
      ])
      await fundPosition(tx, asset, STOCK, { at, newId })
    })
  }
}

/** @param at ahead of time, so that they stay fresh */
const storeBooks = async (db: Db, at: Date): Promise<void> => {
  const side = (best: bigint, step: bigint) =>
    Array.from({ length: LEVELS }, (_, i) => ({ price: best + step * BigInt(i), amount: E18 / 2n }))
  const book = {
    base: 'BTC',
    quote: 'USDT',
    bids: side(ASK - E18, -3n * E18),
    asks: side(ASK, 3n * E18),
    observedAt: at.getTime(),
  }
  const books = SOURCES.map((source) => ({ ...book, source }))
  await storeUsdtMarket(db, {
    ticker: 'BTC',
    quorum: 2,
    agreement: { kind: 'open', middle: ASK - E18 / 2n, books, dropped: [] },
    at,
  })
}

/**
 * Opens the accounts that an exchange of each merchant moves, as the first exchange of each does, and numbers them for
 * pgbench.
 */
export const prepareTraders = async (db: Db, merchants: readonly string[]): Promise<void> => {
  await sql`insert into ledger_accounts(merchant_id, asset, kind, bounded)
    select m, a, k, k = 'merchant' from unnest(${[...merchants]}::uuid[]) m,
      (values ('USDT', 'merchant'), ('USDT', 'position'), ('USDT', 'fees'), ('BTC', 'merchant'), ('BTC', 'position')) v(a, k)
    on conflict do nothing`.execute(db)
  await sql`create sequence bench_exchange_numbers cache 64`.execute(db)
  await sql`create table bench_traders as select u.n::int as n, u.m as merchant_id,
      max(a.id) filter (where asset = 'USDT' and kind = 'merchant') as spend, max(a.id) filter (where asset = 'USDT' and kind = 'position') as spend_position,
      max(a.id) filter (where asset = 'USDT' and kind = 'fees') as spend_fees, max(a.id) filter (where asset = 'BTC' and kind = 'merchant') as got,
      max(a.id) filter (where asset = 'BTC' and kind = 'position') as got_position
    from unnest(${[...merchants]}::uuid[]) with ordinality u(m, n) join ledger_accounts a on a.merchant_id = u.m group by 1, 2`.execute(
    db,
  )
  await sql`alter table bench_traders add primary key (n)`.execute(db)
  await sql`analyze`.execute(db)
}

/**
 * Throws unless the books are right: the audit finds nothing, every asset adds up to zero, inventory equals the
 * position and the effect of the exchanges, each exchange has its posting, its localId, its response and its
 * notification, and the number of our exchanges is that of the accepted requests.
 */
export const checkMarket = async (db: Db, accepted: number): Promise<void> => {
  const findings = [...(await auditLedger(db)), ...(await auditPositions(db))]
  const { rows: unbalanced } = await sql<{
    asset: string
  }>`select asset from ledger_accounts group by asset having sum(posted) <> 0`.execute(db)
  const { rows: moved } = await sql<{
    asset: string
  }>`select i.asset from (select asset, sum(units) as units from exchange_inventory group by asset) i
    where i.units <> ${STOCK}::numeric + coalesce((select sum(exchange_units) from exchanges where spend_ticker = i.asset), 0)
      - coalesce((select sum(target_units) from exchanges where target_ticker = i.asset), 0)`.execute(db)
  const { rows } = await sql<Record<'exchanges' | 'postings' | 'names' | 'answers' | 'notices' | 'ours', number>>`select
    (select count(*) from exchanges) as exchanges,
    (select count(*) from ledger_transfers where cause_kind = 'exchange' and merchant_id <> ${PLATFORM}) as postings,
    (select count(*) from local_ids where operation = 'createExchange') as names,
    (select count(*) from request_answers where status = 200) as answers,
    (select count(*) from events where kind = 'Exchange') as notices,
    (select count(*) from exchanges where local_id like 'exchange-%') as ours`.execute(db)
  const { ours, ...each } = rows[0]!
  if (
    findings.length === 0 &&
    unbalanced.length === 0 &&
    moved.length === 0 &&
    new Set(Object.values(each)).size === 1 &&
    ours === accepted
  )
    return
  throw new Error(
    `the books are wrong after the bench: ${JSON.stringify({ finding: findings[0], unbalanced, moved, accepted, found: rows[0] }, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
  )
}
