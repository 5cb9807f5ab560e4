import type { Block, ChainTransaction, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseAlert, resolveAlertsOf } from '../../platform/runtime/alerts.ts'
import { followCoins, unfollowCoins } from './coins.ts'
import { moveAndNotify } from './commands.ts'
import { noteFound, noteLost } from './lost.ts'
import { forgetConflicts, recordConflicts } from './conflicts.ts'
import { TRANSACTION_ALERTS } from './refusals.ts'
import { hadEffect, shortOf } from './shown.ts'
import { oursAmong } from './store.ts'
import { type OutgoingSubscriber } from './transaction.ts'

/** Alerts that a transaction can't be mined or replaced, resolved when it is mined. */
const OVER_WHEN_MINED = [...TRANSACTION_ALERTS, 'overtaken-unclear'] as const

/** Channel of PostgreSQL: transactions of ours are in a new block of the network that is the payload. */
export const MINED_CHANNEL = 'transactions_mined'

/** The chain subscriber of this module. The watcher calls it in its transaction and carries out the effects. */
export const createTransactionSubscriber = (subscribers: readonly OutgoingSubscriber[]) => ({
  /** Our transactions in a new block of the best chain are mined. */
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    const moves = network === 'BITCOIN' ? await followCoins(tx, network, block) : []
    const ours = await oursAmong(
      tx,
      network,
      block.transactions.map((t) => t.hash),
    )
    const effects: Effects[] = [{ ...noEffects, moves }]
    for (const transaction of block.transactions) {
      const own = ours.get(transaction.hash)
      if (!own) continue
      // A process may end between the node's acceptance and its record: then the block proves both events.
      if (own.state !== 'broadcast')
        effects.push(await moveAndNotify(tx, own.outgoingId, 'accepted', transaction.hash, subscribers, moment))
      const mined = {
        hash: transaction.hash,
        height: block.height,
        block: block.hash,
        fee: transaction.fee,
        succeeded: await succeededAs(tx, network, own, transaction, moment),
      }
      effects.push(await moveAndNotify(tx, own.outgoingId, 'mined', transaction.hash, subscribers, moment, mined))
      if (own.state === 'final' || own.state === 'failed') await noteFound(tx, network, own.outgoingId, mined, moment)
    }
    if (ours.size > 0) {
      await resolveAlertsOf(
        tx,
        OVER_WHEN_MINED,
        [...ours.values()].map(({ outgoingId }) => outgoingId),
        moment.at,
      )
      await sql<{ pg_notify: unknown }>`select pg_notify(${MINED_CHANNEL}, ${network})`.execute(tx)
    }
    await recordConflicts(tx, network, block, ours)
    return joinEffects(effects)
  },

  /**
   * Handles lost blocks from a height on: our transactions in them, also final ones, are unconfirmed again and are
   * broadcast with the same bytes.
   */
  orphaned: async (tx: Tx, network: Network, fromHeight: number, moment: Moment): Promise<Effects> => {
    const { rows } = await sql<{ id: string; hash: string }>`select id, mined_hash as hash from outgoing
      where network = ${network} and mined_height >= ${fromHeight} and state = 'mined' and mined_hash is not null order by id`.execute(
      tx,
    )
    await forgetConflicts(tx, network, fromHeight)
    const effects: Effects[] = []
    for (const { id, hash } of rows) effects.push(await moveAndNotify(tx, id, 'reorganized', hash, subscribers, moment))
    await noteLost(tx, network, fromHeight, moment)
    if (network === 'BITCOIN') effects.push({ ...noEffects, moves: await unfollowCoins(tx, network, fromHeight) })
    return joinEffects(effects)
  },

  /** Our transactions in final blocks have ended. */
  settled: async (tx: Tx, network: Network, heights: { finalHeight: number }, moment: Moment): Promise<Effects> => {
    // By a constraint of the table, each mined one has a hash and an outcome.
    const { rows } = await sql<{ id: string; hash: string; succeeded: boolean }>`
      select id, mined_hash as hash, succeeded from outgoing
      where network = ${network} and state = 'mined' and mined_height <= ${heights.finalHeight}
        and mined_hash is not null and succeeded is not null order by id`.execute(tx)
    const effects: Effects[] = []
    for (const { id, hash, succeeded } of rows) {
      effects.push(await moveAndNotify(tx, id, succeeded ? 'final' : 'reverted', hash, subscribers, moment))
    }
    return joinEffects(effects)
  },

  /** Does nothing: unmined transactions are broadcast again anyway. */
  mempool: async (): Promise<Effects> => noEffects,
})

/** Returns the outcome: for a payment, whether its block shows that the money moved; otherwise its receipt. */
const succeededAs = async (
  tx: Tx,
  network: Network,
  { outgoingId, attempt }: { outgoingId: string; attempt: number },
  transaction: ChainTransaction,
  moment: Moment,
): Promise<boolean> => {
  if (!transaction.succeeded || network === 'BITCOIN') return transaction.succeeded
  const { rows } = await sql<{
    unsigned: string
  }>`select a.unsigned from outgoing_attempts a join outgoing o on o.id = a.outgoing_id
    where o.id = ${outgoingId} and a.attempt = ${attempt} and o.purpose = 'payout'`.execute(tx)
  if (rows[0] === undefined) return true
  await alertShort(tx, network, shortOf(network, rows[0].unsigned, transaction), transaction.hash, moment)
  return hadEffect(network, rows[0].unsigned, transaction)
}

/** Raises an alert when a receiver got less than was sent. The postings are right: the sender paid the whole amount. */
const alertShort = async (
  tx: Tx,
  network: Network,
  short: ReturnType<typeof shortOf>,
  hash: string,
  moment: Moment,
): Promise<void> => {
  if (!short) return
  const text = `The receiver of ${hash} on ${network} got ${short.units} units of the token ${short.contract} less than the withdrawal states: the contract deducted them, like a fee of its issuer. See docs/operating/chain-trouble.md`
  await raiseAlert(tx, { kind: 'issuer-fee', subject: `${network}/${short.contract}`, text, detail: { hash } }, moment)
}
