/** Prepares the ledger before a bench, and checks it afterwards. */
import { sql } from 'kysely'
import type { NewId } from '../server/src/platform/base/id.ts'
import { inTransaction, type Db } from '../server/src/platform/db/index.ts'
import { auditLedger } from '../server/src/ledger/postings/index.ts'
import { grantCapital } from '../server/src/treasury/reconciliation/index.ts'

/** In ledger units of any asset: no merchant runs out of it. */
const FUNDS = 10n ** 24n

/**
 * Grants every merchant money of each asset. Their accounts of USDT get the ids from 1 on, in the order given.
 * @param others assets beside USDT
 */
export const fundMerchants = async (
  db: Db,
  merchants: readonly string[],
  { newId, at, others = [] }: { newId: NewId; at: Date; others?: readonly string[] },
): Promise<void> => {
  await sql`insert into ledger_accounts(merchant_id, asset, kind, bounded)
    select m, 'USDT', 'merchant', true from unnest(${[...merchants]}::uuid[]) with ordinality u(m, n) order by n`.execute(
    db,
  )
  const { rows } = await sql<{ last: number }>`select max(id) as last from ledger_accounts`.execute(db)
  if (rows[0]!.last !== merchants.length)
    throw new Error(`accounts have the ids 1 to ${rows[0]!.last}, not ${merchants.length}`)
  // By the operator's command: the audit stops money that no row explains.
  await inTransaction(db, async (tx) => {
    for (const asset of ['USDT', ...others])
      for (const merchantId of merchants) await grantCapital(tx, { merchantId, asset, units: FUNDS }, { newId, at })
  })
  await sql`analyze`.execute(db)
}

/**
 * Throws unless the books are right: the audit finds nothing, every asset adds up to zero, each withdrawal has its
 * hold, its localId and its stored response, and the number of those that are not pgbench's is that of the accepted
 * requests.
 */
export const checkBooks = async (db: Db, accepted: number): Promise<void> => {
  const findings = await auditLedger(db)
  const { rows: unbalanced } = await sql<{ asset: string; sum: bigint }>`
    select asset, sum(posted) as sum from ledger_accounts group by asset having sum(posted) <> 0`.execute(db)
  const { rows } = await sql<Record<'withdrawals' | 'holds' | 'names' | 'answers' | 'ours', number>>`select
    (select count(*) from withdrawals) as withdrawals,
    (select count(*) from ledger_transfers where kind = 'hold') as holds,
    (select count(*) from local_ids) as names,
    (select count(*) from request_answers where status = 200) as answers,
    (select count(*) from withdrawals where local_id like 'order-%') as ours`.execute(db)
  const { ours, ...each } = rows[0]!
  const same = new Set(Object.values(each)).size === 1
  if (findings.length === 0 && unbalanced.length === 0 && same && ours === accepted) return
  throw new Error(
    `the books are wrong after the bench: ${findings.length} findings such as ${JSON.stringify(findings[0])}; ` +
      `${unbalanced.map(({ asset, sum }) => `${asset} adds up to ${sum}`).join(', ')}; ${accepted} accepted against ${JSON.stringify(rows[0])}`,
  )
}
