import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { entriesOf, GENESIS, link } from './chain.ts'

/** Accounts read in one transaction. */
const MOST_ACCOUNTS = 500

interface SealedAccount {
  id: number
  merchantId: string
  version: number
  sealed: number
  hash: Buffer | null
}

const accountsAfter = async (tx: Tx, after: number): Promise<SealedAccount[]> => {
  const { rows } = await sql<SealedAccount>`
    select a.id, a.merchant_id as "merchantId", a.version, coalesce(s.version, 0) as sealed, s.hash
    from (select id, merchant_id, version from ledger_accounts where id > ${after} order by id limit ${MOST_ACCOUNTS}) a
    left join lateral (select version, hash from ledger_seals where account_id = a.id order by version desc limit 1) s on true
    order by a.id`.execute(tx)
  return rows
}

/** Takes a lock, so that only one worker seals or anchors at a time; false when another one has it. */
const takeTurn = async (tx: Tx): Promise<boolean> => {
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(7262635001) as got`.execute(tx)
  return rows[0]!.got
}

/** Whether a day has its anchor. */
export const isAnchored = async (tx: Tx, at: Date): Promise<boolean> => {
  const { rows } = await sql`select from ledger_anchors where day = ${dayOf(at)}::date`.execute(tx)
  return rows.length === 1
}

/**
 * Advances the hash chains of the next accounts that have entries after their last seal.
 * @param after the last account of the previous page; 0 for the first
 * @returns the number of sealed accounts, and the id of the last account read (undefined if no account was read). The
 *   whole result is undefined if another worker seals now
 */
export const sealAccounts = async (
  tx: Tx,
  after: number,
  at: Date,
): Promise<{ sealed: number; last: number | undefined } | undefined> => {
  if (!(await takeTurn(tx))) return undefined
  const accounts = await accountsAfter(tx, after)
  const due = accounts.filter(({ version, sealed }) => version > sealed)
  const hashes: Buffer[] = []
  for (const account of due) {
    let hash = account.hash ?? GENESIS
    for await (const page of entriesOf(tx, account, account.sealed, account.version))
      for (const entry of page) hash = link(hash, entry)
    hashes.push(hash)
  }
  if (due.length > 0) {
    await sql`insert into ledger_seals(account_id, version, hash, sealed_at)
      select u.id, u.v, u.h, ${at} from unnest(${due.map(({ id }) => id)}::bigint[], ${due.map(({ version }) => version)}::bigint[], ${hashes}::bytea[]) u(id, v, h)`.execute(
      tx,
    )
  }
  return { sealed: due.length, last: accounts.at(-1)?.id }
}

/**
 * Writes the day's anchor: one hash over the newest seal of every account in id order, and over `others`. A copy
 * outside the database later proves that no earlier history was changed. Call it after all accounts were sealed.
 * @param others heads of other chains, one for each line
 * @returns the anchor. Undefined if the day already has an anchor, or if another worker seals or writes an anchor now
 */
export const anchorDay = async (tx: Tx, at: Date, others: readonly string[] = []): Promise<Buffer | undefined> => {
  if ((await isAnchored(tx, at)) || !(await takeTurn(tx))) return undefined
  const digest = createHash('sha256')
  let count = 0
  for (let page = await accountsAfter(tx, 0); page.length > 0; page = await accountsAfter(tx, page.at(-1)!.id)) {
    for (const { id, sealed, hash } of page) {
      if (hash === null) continue
      digest.update(`${id}|${sealed}|`).update(hash)
      count += 1
    }
  }
  for (const line of others) digest.update(`${line}\n`)
  const hash = digest.digest()
  const { rows } = await sql`insert into ledger_anchors(day, accounts, hash, created_at)
    values (${dayOf(at)}::date, ${count}, ${hash}, ${at}) on conflict do nothing returning day`.execute(tx)
  return rows.length === 1 ? hash : undefined
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)
