import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { LinkFields, LinkStatus, PaymentLink } from './link.ts'

/** The columns of a link, from `payment_links l`. */
export const COLUMNS =
  sql.raw(`l.merchant_id as "merchantId", l.id, l.token, l.kind, l.name, l.description, l.ticker, l.amount,
  l.least, l.most, l.language, l.expires_at as "expiresAt", l.most_uses as "mostUses", l.stopped_at as "stoppedAt",
  l.created_at as "createdAt", l.local_id as "localId"`)

/**
 * Stores a new link.
 * @param keyId of the API key that made it; null: a member did
 * @returns false if another link has its localId
 */
export const insertLink = async (tx: Tx, link: PaymentLink, keyId: string | null): Promise<boolean> => {
  const { rows } =
    await sql`insert into payment_links(merchant_id, id, token, kind, name, description, ticker, amount, least, most,
      language, expires_at, most_uses, created_at, local_id, api_key_id)
    values (${link.merchantId}, ${link.id}, ${link.token}, ${link.kind}, ${link.name}, ${link.description}, ${link.ticker},
      ${link.amount}, ${link.least}, ${link.most}, ${link.language}, ${link.expiresAt}, ${link.mostUses}, ${link.createdAt},
      ${link.localId}, ${keyId})
    on conflict (merchant_id, local_id) where local_id is not null do nothing returning 1`.execute(tx)
  return rows.length > 0
}

/** The same status as `statusOf`, in SQL. @param at business clock */
export const hasStatus = (status: LinkStatus | null, at: Date): RawBuilder<unknown> => {
  const isExpired = sql`coalesce(l.expires_at <= ${at}, false)`
  if (status === 'active') return sql`(l.stopped_at is null and not ${isExpired})`
  if (status === 'expired') return sql`(l.stopped_at is null and ${isExpired})`
  return status === null ? sql`true` : sql`l.stopped_at is not null`
}

/** How many links of a merchant are neither stopped nor expired at a time (business clock): at most `most`. */
export const countActive = async (tx: Tx, merchantId: string, at: Date, most: number): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*) as n from (select from payment_links l where l.merchant_id = ${merchantId}
      and ${hasStatus('active', at)} limit ${most}) active`.execute(tx)
  ).rows[0]!.n

/** Finds a link of a merchant. */
export const findLink = async (db: Db | Tx, merchantId: string, id: string): Promise<PaymentLink | undefined> =>
  (
    await sql<PaymentLink>`select ${COLUMNS} from payment_links l
      where l.merchant_id = ${merchantId} and l.id = ${id}`.execute(db)
  ).rows[0]

/** Finds a link as its payers know it. */
export const findByToken = async (db: Db | Tx, token: string): Promise<PaymentLink | undefined> =>
  (await sql<PaymentLink>`select ${COLUMNS} from payment_links l where l.token = ${token}`.execute(db)).rows[0]

/** The same, locked until the transaction ends: payers of one link follow each other. */
export const lockByToken = async (tx: Tx, token: string): Promise<PaymentLink | undefined> =>
  (await sql<PaymentLink>`select ${COLUMNS} from payment_links l where l.token = ${token} for update`.execute(tx))
    .rows[0]

export const updateLink = async (
  tx: Tx,
  { merchantId, id }: Pick<PaymentLink, 'merchantId' | 'id'>,
  fields: LinkFields,
): Promise<boolean> => {
  const { numAffectedRows } =
    await sql`update payment_links set name = ${fields.name}, description = ${fields.description},
      amount = ${fields.amount}, least = ${fields.least}, most = ${fields.most}, language = ${fields.language},
      expires_at = ${fields.expiresAt}, most_uses = ${fields.mostUses}
    where merchant_id = ${merchantId} and id = ${id}`.execute(tx)
  return numAffectedRows === 1n
}

/** @param at null: the link may be used again. @returns whether anything changed */
export const setStopped = async (
  tx: Tx,
  { merchantId, id }: Pick<PaymentLink, 'merchantId' | 'id'>,
  at: Date | null,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`update payment_links set stopped_at = ${at}
    where merchant_id = ${merchantId} and id = ${id} and (stopped_at is null) = (${at}::timestamptz is not null)`.execute(
    tx,
  )
  return numAffectedRows === 1n
}
