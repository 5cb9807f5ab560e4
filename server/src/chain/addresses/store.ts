import { intoAnswers, findStoredAnswer } from '../../platform/api/answers.ts'
import type { Fingerprinted } from '../../platform/base/same-request.ts'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AddressFamily } from './family.ts'
import { firstIndexes, type Seeds } from './seeds.ts'

/** An address about to be given to a merchant. */
export interface NewAddress {
  merchantId: string
  id: string
  family: AddressFamily
  blockchain: Network
  meta: string | null
  leasedUntil: Date | null
  /** null on a permanent address and on an invoice's, whose end a deposit does not move */
  leaseAfterDepositMs: number | null
  createdAt: Date
  /** keys under which the answer is stored with the address, and the JSON before and after the address in it */
  answer: { keys: readonly (Fingerprinted & { key: string })[]; before: string; after: string }
}

/**
 * Assigns addresses of the stock to requests and stores their answers, in one statement. Concurrent processes get
 * different addresses. An address of a seed that a second one has replaced is not assigned.
 * @returns addresses by request id, without requests for which the stock had none
 */
export const takeFromStock = async (
  db: Db | Tx,
  keys: Seeds,
  requests: readonly NewAddress[],
): Promise<Map<string, string>> => {
  const { families, first } = firstIndexes(keys)
  const { rows } = await sql<{ id: string; address: string }>`
    with wanted as (
      select r.*, row_number() over (partition by r.family) as rank
      from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb)
        r("merchantId" uuid, id uuid, family text, blockchain text, meta text, "leasedUntil" timestamptz,
          "leaseAfterDepositMs" bigint, "createdAt" timestamptz, answer jsonb)),
    counted as (select w.family, f.first, count(*) as n from wanted w
      join unnest(${families}::text[], ${first}::bigint[]) f(family, first) on f.family = w.family group by w.family, f.first),
    picked as (
      select s.*, row_number() over (partition by s.family order by s.derivation_index) as rank from counted c
      cross join lateral (
        select family, derivation_index, address from address_stock where family = c.family and era = (select database_era())
          and derivation_index >= c.first
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

/** Counts the addresses of a merchant, up to `most`, without those of invoices, because payers cause them. */
export const addressesOf = async (db: Db | Tx, merchantId: string, most: number): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (select from addresses where merchant_id = ${merchantId}
      and (leased_until is null or lease_after_deposit_ms is not null) limit ${most}) a`.execute(db)
  return rows[0]!.count
}

/** Returns the stored answer to the same request, if any. */
export const storedAnswer = async (
  db: Db | Tx,
  { merchantId, answer }: NewAddress,
): Promise<{ kind: 'answered'; status: number; body: string } | { kind: 'key-reused' } | undefined> => {
  return answer.keys.length === 0 ? undefined : findStoredAnswer(db, merchantId, answer.keys)
}
