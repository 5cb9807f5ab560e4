import { intoAnswers, findStoredAnswer } from '../../platform/api/answers.ts'
import type { Fingerprinted } from '../../platform/base/same-request.ts'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AddressFamily } from './family.ts'

/** An address about to be given to a merchant. */
export interface NewAddress {
  merchantId: string
  id: string
  family: AddressFamily
  blockchain: Network
  meta: string | null
  leasedUntil: Date | null
  /** null on a permanent address, and on one whose end a deposit does not move: an invoice's */
  leaseAfterDepositMs: number | null
  createdAt: Date
  /** keys under which the answer is kept with the address, and the JSON around the address in it */
  answer: { keys: readonly (Fingerprinted & { key: string })[]; before: string; after: string }
}

/**
 * Gives addresses of the stock to requests and keeps their answers, in one statement. Another process that takes at the
 * same moment gets others.
 * @returns addresses by request id; a request the stock had none for is absent
 */
export const takeFromStock = async (db: Db | Tx, requests: readonly NewAddress[]): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; address: string }>`
    with wanted as (
      select r.*, row_number() over (partition by r.family) as rank
      from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb)
        r("merchantId" uuid, id uuid, family text, blockchain text, meta text, "leasedUntil" timestamptz,
          "leaseAfterDepositMs" bigint, "createdAt" timestamptz, answer jsonb)),
    counted as (select family, count(*) as n from wanted group by family),
    picked as (
      select s.*, row_number() over (partition by s.family order by s.derivation_index) as rank from counted c
      cross join lateral (
        select family, derivation_index, address from address_stock where family = c.family and era = (select database_era())
        order by derivation_index limit c.n for update skip locked) s),
    taken as (
      delete from address_stock s using picked p
      where s.family = p.family and s.derivation_index = p.derivation_index returning p.*),
    given as (
      select w.*, t.address, t.derivation_index from wanted w
      join taken t on t.family = w.family and t.rank = w.rank),
    answered as (
      ${intoAnswers}
      select g."merchantId", k->>'key', k->>'fingerprint', 200,
        (g.answer->>'before') || g.address || (g.answer->>'after'), g."createdAt"
      from given g cross join lateral jsonb_array_elements(g.answer->'keys') k)
    insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, meta, leased_until,
      lease_after_deposit_ms, created_at)
    select "merchantId", id, family, blockchain, address, derivation_index, meta, "leasedUntil",
      "leaseAfterDepositMs", "createdAt"
    from given returning id, address`.execute(db)
  return new Map(rows.map(({ id, address }) => [id, address]))
}

/**
 * How many addresses a merchant has, counted no further than `most`. Those of invoices are not counted: payers cause
 * them.
 */
export const addressesOf = async (db: Db | Tx, merchantId: string, most: number): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (select from addresses where merchant_id = ${merchantId}
      and (leased_until is null or lease_after_deposit_ms is not null) limit ${most}) a`.execute(db)
  return rows[0]!.count
}

/** The answer that was given to the same request before, if any. */
export const storedAnswer = async (
  db: Db | Tx,
  { merchantId, answer }: NewAddress,
): Promise<{ kind: 'answered'; status: number; body: string } | { kind: 'key-reused' } | undefined> => {
  return answer.keys.length === 0 ? undefined : findStoredAnswer(db, merchantId, answer.keys)
}
