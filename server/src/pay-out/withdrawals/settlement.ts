import { isEvmNetwork, NATIVE_TICKER } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { SignedTransaction } from '../../adapters/signer/port.ts'
import {
  feeInLedgerUnits,
  type OutgoingChange,
  type OutgoingSubscriber,
  ownCosts,
  finalUserOfNonce,
} from '../../chain/transactions/index.ts'
import { type CustodyMove, onAccounts } from '../../ledger/address-balances/index.ts'
import { type Effects, joinEffects, noEffects } from '../../ledger/effects/index.ts'
import { type Item, PLATFORM } from '../../ledger/postings/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { allocate } from '../../platform/money/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { notifySubscribers, type WithdrawalSubscriber } from './commands.ts'
import { type WithdrawalEvent, withdrawalMoves } from './machine.ts'
import { withdrawalNotices } from './notice.ts'
import { nextIntentOf } from './placing.ts'
import { captureItem, costItem, releaseItem, transitItem } from './postings.ts'
import { afterRefusal, type AfterRefusal, alertRefused, bar } from './refusals.ts'
import { carriedBy, move } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

/** The event of the withdrawals of a transaction for each event of the transaction. */
const EVENTS: Record<OutgoingChange['event'], WithdrawalEvent> = {
  refused: 'unplanned',
  accepted: 'accepted',
  mined: 'mined',
  reorganized: 'reorganized',
  final: 'final',
  reverted: 'reverted',
}

/** Creates the subscriber that moves withdrawals by the events of their transactions. */
export const createSettlement =
  (catalogue: Catalogue, withdrawalSubscribers: readonly WithdrawalSubscriber[] = []): OutgoingSubscriber =>
  async (tx, change, moment) => {
    const { purpose } = change.outgoing
    if (purpose === 'filler' || purpose === 'rebalance') return ownCosts(catalogue, change, [PLATFORM], moment)
    if (purpose !== 'payout') return noEffects
    const withdrawals = await carriedBy(tx, change.outgoing.id)
    // A transaction without any withdrawals left still costs its fee.
    if (withdrawals.length === 0) return ownCosts(catalogue, change, [PLATFORM], moment)
    const shares = feeShares(catalogue, change, withdrawals.length)
    const all: Effects[] = []
    for (const [i, withdrawal] of withdrawals.entries()) {
      all.push(
        await settleOne(
          tx,
          { catalogue, withdrawalSubscribers },
          change,
          withdrawal,
          { together: withdrawals.length, feeShare: shares[i]! },
          moment,
        ),
      )
    }
    return joinEffects(all)
  }

/**
 * Applies an event of a transaction to one withdrawal, of which the transaction's other withdrawals have been notified
 * before. The network fee is posted for those.
 */
export const settleAlone = (
  tx: Tx,
  deps: { catalogue: Catalogue; withdrawalSubscribers: readonly WithdrawalSubscriber[] },
  change: OutgoingChange,
  withdrawal: Withdrawal,
  moment: Moment,
): Promise<Effects> => settleOne(tx, deps, change, withdrawal, { together: 1, feeShare: 0n }, moment)

const settleOne = async (
  tx: Tx,
  {
    catalogue,
    withdrawalSubscribers,
  }: { catalogue: Catalogue; withdrawalSubscribers: readonly WithdrawalSubscriber[] },
  change: OutgoingChange,
  before: Withdrawal,
  { together, feeShare }: { together: number; feeShare: bigint },
  moment: Moment,
): Promise<Effects> => {
  const event = change.superseded ? 'superseded' : EVENTS[change.event]
  // A transaction mined without effect makes a withdrawal Failed once its block is final, and never Done.
  const onlyCost = change.outgoing.succeeded === false
  const after = change.refusal && afterRefusal(before, change.refusal, together)
  const isPaid = change.superseded?.paid.has(before.intentId) ?? false
  const withdrawal = await move(tx, before, event, moment.at, {
    ...(event === 'unplanned' || event === 'superseded' ? { outgoingId: null, ...waitingOf(after, moment) } : {}),
    ...(event === 'superseded' && !isPaid ? { intentId: nextIntentOf(before) } : {}),
    ...(event === 'reverted' ? { failReason: 'ERRROR_CODE_GENERIC' } : {}),
    ...(event === 'mined' ? { sendsDone: !onlyCost } : {}),
  })
  if (!withdrawal) return noEffects
  if (change.refusal && after!.pauseMs > 0) await alertRefused(tx, withdrawal, change.refusal, moment)
  if (after?.barred) await bar(tx, withdrawal, after.barred, change.refusal!.message, moment)
  if (isPaid) await bar(tx, withdrawal, 'signed', 'a final block holds it', moment)
  const effects: { items: Item[]; notices: Notice[]; moves: CustodyMove[] } = { items: [], notices: [], moves: [] }
  const asset = catalogue.findCrypto(withdrawal.ticker)!
  const carried = { hash: change.hash, from: change.outgoing.senders, block: change.outgoing.minedHeight }
  const outcome = onlyCost ? costItem : transitItem
  for (const effect of moveOf(withdrawalMoves, before.state, event)!.effects) {
    switch (effect) {
      case 'notifyPending':
        effects.notices.push(...withdrawalNotices(withdrawal, asset, 'Pending', carried))
        break
      case 'notifyDone':
        if (withdrawal.doneSent || onlyCost) break
        effects.notices.push(...withdrawalNotices(withdrawal, asset, 'Done', carried))
        await notifySubscribers(withdrawalSubscribers, tx, withdrawal, { status: 'Done', hash: change.hash }, moment)
        break
      case 'notifyFailed':
        effects.notices.push(...withdrawalNotices(withdrawal, asset, 'Failed', carried))
        await notifySubscribers(withdrawalSubscribers, tx, withdrawal, { status: 'Failed', hash: change.hash }, moment)
        break
      case 'moveToTransit':
        effects.items.push(...nonEmpty(outcome(withdrawal, feeShare, 'out', moment)))
        effects.moves.push(...movesOf(change, withdrawal, onlyCost, feeShare, 'out'))
        break
      case 'moveFromTransit':
        effects.items.push(...nonEmpty(outcome(withdrawal, feeShare, 'back', moment)))
        effects.moves.push(...movesOf(change, withdrawal, onlyCost, feeShare, 'back'))
        break
      case 'capture':
        effects.items.push(captureItem(withdrawal, moment))
        break
      case 'release':
        effects.items.push(releaseItem(withdrawal, moment))
        await alertReverted(tx, change, withdrawal, moment)
        break
      default:
        throw new Error(`a chain transaction causes no ${effect}`)
    }
  }
  return effects
}

/**
 * When the withdrawals of a refused transaction are planned again. A withdrawal that a stop refused is planned as soon
 * as no stop covers it.
 */
const waitingOf = (after: AfterRefusal | undefined, { at }: Moment): { notBefore: Date; alone: boolean } => ({
  notBefore: new Date(at.getTime() + (after?.pauseMs ?? 0)),
  alone: after?.alone ?? false,
})

/**
 * The amounts by which a payment and its share of the fee lower the balance of the sending account, as `transitItem`
 * and `costItem` post them.
 */
const movesOf = (
  { outgoing }: OutgoingChange,
  { ticker, units }: Withdrawal,
  onlyCost: boolean,
  feeShare: bigint,
  direction: 'out' | 'back',
): CustodyMove[] => {
  const sign = direction === 'out' ? -1n : 1n
  const { network, senders, minedHeight: height } = outgoing
  const from = (asset: string, left: bigint): CustodyMove => ({
    network,
    asset,
    address: senders[0]!,
    units: sign * left,
    height,
  })
  return onAccounts([...(onlyCost ? [] : [from(ticker, units)]), from(NATIVE_TICKER[network], feeShare)])
}

const nonEmpty = (item: Item): Item[] => (item.transfer.entries.length === 0 ? [] : [item])

const alertReverted = async (tx: Tx, change: OutgoingChange, withdrawal: Withdrawal, moment: Moment): Promise<void> => {
  const text = `Withdrawal ${withdrawal.id} was mined without effect in ${change.hash}; its amount and fee are back on the balance. If this repeats, look up the reason in an explorer (docs/operating/recovery.md)`
  await raiseAlert(tx, { kind: 'withdrawal-reverted', subject: withdrawal.id, text }, moment)
}

/** Splits the network fee, in native ledger units, evenly over the payments of a transaction, to the last unit. */
const feeShares = (catalogue: Catalogue, { outgoing }: OutgoingChange, count: number): bigint[] => {
  if (count === 0) return []
  return allocate(
    feeInLedgerUnits(catalogue, outgoing),
    Array.from({ length: count }, () => 1n),
  )
}

/** Returns the hash of the final transaction in this database that used a coin or nonce of a signed one, if any. */
export const supersededBy = async (db: Db, transaction: SignedTransaction): Promise<string | undefined> => {
  for (const key of transaction.conflictKeys) {
    const by = await (isEvmNetwork(transaction.network) ? nonceUser : coinSpender)(db, transaction, key.split(':'))
    if (by !== undefined) return by
  }
  return undefined
}

type FindUser = (db: Db, transaction: SignedTransaction, key: readonly string[]) => Promise<string | undefined>

/** @param key chain id, address and nonce */
const nonceUser: FindUser = (db, { network, hash }, [, address, nonce]) =>
  finalUserOfNonce(db, network, address!, Number(nonce), hash)

/**
 * @param key transaction and output. Finds only our own transactions: that another party has spent the coin is detected
 * once the payment is attached.
 */
const coinSpender: FindUser = async (db, { network, hash }, [transaction, vout]) => {
  const { rows } = await sql<{
    hash: string
  }>`select x.spent_by as hash from utxos x join watch_cursors c on c.network = x.network and x.spent_height <= c.final_height
    where x.network = ${network} and x.transaction = ${transaction} and x.vout = ${Number(vout)} and x.spent_by <> ${hash}
      and exists (select from outgoing_attempts a where a.network = x.network and a.hash = x.spent_by)`.execute(db)
  return rows[0]?.hash
}
