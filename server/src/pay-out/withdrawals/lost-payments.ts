import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { raiseOrRenewAlert, resolveAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { REPEATS_LOST } from './refusals.ts'

const ALERT = 'payments-lost'

/** A payment of the signer's log without a withdrawal in a restored copy. */
export interface LostPayment {
  intentId: string
  hash: string
  network: Network
  ticker: string
  to: string
  /** in units of the asset on its chain */
  chainUnits: bigint
  conflictKeys: string[]
  /** number of the line in the signer's log */
  logLine: number
  signedAt: Date
}

/** Stores lost payments. A payment that is stored already is left as it is. */
export const recordLost = async (tx: Tx, payments: readonly LostPayment[], at: Date): Promise<void> => {
  for (const lost of payments)
    await sql`insert into lost_payments (intent_id, hash, network, ticker, to_address, chain_units, conflict_keys, log_line, signed_at, found_at)
      values (${lost.intentId}, ${lost.hash}, ${lost.network}, ${lost.ticker}, ${lost.to}, ${lost.chainUnits}, ${lost.conflictKeys}, ${lost.logLine}, ${lost.signedAt}, ${at})
      on conflict do nothing`.execute(tx)
}

/** Returns `outgoingId/intentId` of the withdrawals that these transactions pay. */
export const paidIntents = async (db: Db | Tx, outgoingIds: readonly string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ outgoingId: string; intentId: string }>`select outgoing_id as "outgoingId",
    coalesce(intent_id, id) as "intentId" from withdrawals where outgoing_id = any(${[...outgoingIds]}::uuid[])`.execute(
    db,
  )
  return new Set(rows.map(({ outgoingId, intentId }) => `${outgoingId}/${intentId}`))
}

/** Ends the lost payments of these intents. A withdrawal that one of them holds is held no longer. */
export const resolveLost = async (
  tx: Db | Tx,
  intentIds: readonly string[],
  resolution: 'attached' | 'superseded',
  at: Date,
): Promise<void> => {
  const { rows: freed } = await sql<{ id: string }>`with ended as (delete from lost_payment_repeats
      where intent_id = any(${[...intentIds]}::uuid[]) and decision is null returning merchant_id, withdrawal_id)
    update withdrawals w set barred = null from ended
    where w.merchant_id = ended.merchant_id and w.id = ended.withdrawal_id and w.state = 'requested' and w.barred = 'repeat' returning w.id`.execute(
    tx,
  )
  await resolveAlertsOf(
    tx,
    [REPEATS_LOST],
    freed.map(({ id }) => id),
    at,
  )
  await sql`update lost_payments set resolved_at = ${at}, resolution = ${resolution}
    where intent_id = any(${[...intentIds]}::uuid[]) and resolved_at is null`.execute(tx)
}

/** Ends a lost payment that an operator has assigned to a withdrawal, also after its acceptance. */
export const endLost = async (
  tx: Tx,
  intentId: string,
  resolution: 'attached' | 'superseded',
  at: Date,
): Promise<void> => {
  await sql`update lost_payments set resolved_at = ${at}, resolution = ${resolution} where intent_id = ${intentId}`.execute(
    tx,
  )
}

/** Whether a withdrawal waits because it equals a lost payment. */
export const isHeldRepeat = async (
  db: Db | Tx,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<boolean> => {
  const { rows } =
    await sql`select from withdrawals where merchant_id = ${merchantId} and id = ${id} and barred = 'repeat'`.execute(
      db,
    )
  return rows.length > 0
}

/**
 * Ends all lost payments by an operator's acceptance. They still hold equal withdrawals for a time.
 * @returns how many payments there were; one may have several signed transactions
 */
export const acceptLost = async (tx: Tx, at: Date): Promise<number> => {
  const { rows } = await sql<{
    network: string
    intentId: string
  }>`update lost_payments set resolved_at = ${at}, resolution = 'accepted' where resolved_at is null returning network, intent_id as "intentId"`.execute(
    tx,
  )
  for (const network of new Set(rows.map((row) => row.network))) await resolveAlert(tx, ALERT, network, at)
  return new Set(rows.map(({ intentId }) => intentId)).size
}

/** The lost payments that are not resolved, in the order of the signer's log. */
export const listLost = async (db: Db | Tx): Promise<LostPayment[]> => {
  const { rows } = await sql<
    Omit<LostPayment, 'logLine'> & { logLine: string | number }
  >`select intent_id as "intentId", hash, network, ticker, to_address as "to",
    chain_units as "chainUnits", conflict_keys as "conflictKeys", log_line as "logLine", signed_at as "signedAt"
    from lost_payments where resolved_at is null order by log_line, intent_id`.execute(db)
  return rows.map((row) => ({ ...row, logLine: Number(row.logLine) }))
}

/** Raises, renews or resolves the alert of each network after a comparison. */
export const reportLost = async (tx: Tx, networks: readonly Network[], moment: Moment): Promise<void> => {
  const { rows } = await sql<{
    network: Network
    payments: number
    first: string
    hashes: string[] | null
  }>`select network, count(distinct intent_id)::integer as payments, min(signed_at)::text as first, (array_agg(hash order by log_line))[1:3] as hashes
    from lost_payments where resolved_at is null group by network`.execute(tx)
  for (const network of networks) {
    const found = rows.find((row) => row.network === network)
    if (!found) await resolveAlert(tx, ALERT, network, moment.at)
    else
      await raiseOrRenewAlert(
        tx,
        {
          kind: ALERT,
          subject: network,
          text: `The signer's log has ${found.payments} payment(s) on ${network} that this restored database lacks, for example ${(found.hashes ?? []).join(', ')}. \`bursar restored report\` lists them. A request that repeats one of them waits for an operator (docs/operating/recovery.md)`,
          detail: { payments: found.payments, first: found.first },
        },
        moment,
      )
  }
}
