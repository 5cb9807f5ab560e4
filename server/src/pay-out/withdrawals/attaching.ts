import { shareHeight } from '../../chain/watcher/index.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Block } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { SignedTransaction, Signer } from '../../adapters/signer/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { rescale } from '../../platform/money/index.ts'
import {
  adoptSigned,
  contractCallPaying,
  oursAmong,
  paymentCall,
  readForm,
  tronPayment,
  TRON_LIFETIME_MS,
  type SignedForm,
  type WalletKeys,
} from '../../chain/transactions/index.ts'
import { resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { paymentOf } from './bitcoin-batch.ts'
import type { WithdrawalSubscriber } from './commands.ts'
import { bar, renewIntent, SIGNED_BEFORE as ALERT } from './refusals.ts'
import { joinLate } from './joining.ts'
import { isHeldRepeat } from './lost-payments.ts'
import { supersededBy } from './settlement.ts'
import { findById, move, unbar, waitingByIntent } from './store.ts'
import type { Withdrawal } from './withdrawal.ts'

export interface AttachDeps {
  runtime: Runtime
  catalogue: Catalogue
  wallet: WalletKeys
  signer: Pick<Signer, 'transactionsOf'>
  adapter: Pick<ChainAdapter, 'network' | 'statusOf' | 'blockAt'>
  /** reads a block again that the watcher has read already, so that its payments of the transaction are posted */
  readAgain(height: number): Promise<unknown>
  withdrawalSubscribers?: readonly WithdrawalSubscriber[]
}

export type Attached =
  | { kind: 'attached'; hashes: string[]; minedAt: number | null }
  /** the signer has signed nothing for it, so that it is no longer barred */
  | { kind: 'nothing-signed' }
  /**
   * conflicting final transactions in this database rule out everything that was signed, so that it is paid again under
   * a new intent
   */
  | { kind: 'superseded'; by: string[] }

/**
 * Attaches a waiting withdrawal to the transactions that the signer signed for it and that this database has lost.
 * Compares them with the signer's response, with their own bytes and with the chain. Afterwards the withdrawal
 * continues normally: the transaction is sent again, or posted from the block that contains it. Throws an Error that
 * says what to do if they do not match.
 */
export const attachSigned = async (deps: AttachDeps, key: { merchantId: string; id: string }): Promise<Attached> => {
  const { runtime, signer, adapter } = deps
  const withdrawal = await findById(runtime.db, key.merchantId, key.id)
  if (!withdrawal) throw new Error('there is no such withdrawal: check both ids')
  if (withdrawal.state !== 'requested')
    throw new Error(`it is ${withdrawal.state}: only a withdrawal that waits can be attached`)
  if (await isHeldRepeat(runtime.db, withdrawal))
    throw new Error('it equals a lost payment: decide first by "bursar restored same" or "bursar restored new"')
  const all = await signer.transactionsOf(withdrawal.intentId)
  if (all.length === 0) {
    await inTransaction(runtime.db, (tx) => unbar(tx, withdrawal))
    await resolveAlert(runtime.db, ALERT, withdrawal.id, momentOf(runtime).at)
    return { kind: 'nothing-signed' }
  }
  const { possible: transactions, by } = await stillPossible(runtime.db, withdrawal, all)
  if (transactions.length === 0) {
    await inTransaction(runtime.db, (tx) => renewIntent(tx, withdrawal))
    await resolveAlert(runtime.db, ALERT, withdrawal.id, momentOf(runtime).at)
    return { kind: 'superseded', by }
  }
  const forms = transactions.map((transaction) => checked(deps, withdrawal, transaction))
  const hashes = forms.map(({ hash }) => hash)
  const joined = await joinLate(deps, withdrawal, hashes)
  if (joined) return { kind: 'attached', hashes, minedAt: joined.minedHeight }
  let minedAt = await minedHeight(adapter, forms)
  for (let from = 0; ;) {
    const seen = minedAt === null ? await passedUnseen(deps, transactions, from) : ALL_SEEN
    minedAt ??= seen.minedAt
    if (await inTransaction(runtime.db, (tx) => store(tx, deps, withdrawal, { transactions, forms, seen }))) break
    from = seen.through! + 1
  }
  if (minedAt !== null) await deps.readAgain(minedAt)
  return { kind: 'attached', hashes, minedAt }
}

/**
 * Returns the transactions that can still be mined according to this database, and the hashes of those that superseded
 * the others.
 */
const stillPossible = async (
  db: Db,
  { blockchain }: Withdrawal,
  all: readonly SignedTransaction[],
): Promise<{ possible: SignedTransaction[]; by: string[] }> => {
  const known = await oursAmong(
    db,
    blockchain,
    all.map(({ hash }) => hash),
  )
  const unproven = all.filter(({ hash }) => known.get(hash)?.state !== 'abandoned')
  if (unproven.length === 0)
    throw new Error(
      `transaction ${[...known.keys()].join(', ')} is in these books already, and can't be mined any more: it was another withdrawal's`,
    )
  const users = new Map<SignedTransaction, string>()
  for (const transaction of unproven) {
    const by = known.has(transaction.hash) ? undefined : await supersededBy(db, transaction)
    if (by !== undefined) users.set(transaction, by)
  }
  return { possible: unproven.filter((transaction) => !users.has(transaction)), by: [...new Set(users.values())] }
}

/**
 * Decodes a transaction. Throws unless it pays exactly this withdrawal, both by the signer's response and by its bytes.
 */
const checked = (deps: AttachDeps, withdrawal: Withdrawal, transaction: SignedTransaction): SignedForm => {
  const { intentId, ticker, blockchain, to } = withdrawal
  const units = chainUnits(deps.catalogue, withdrawal)
  const intent = transaction.intents.find(({ id }) => id === intentId)
  const says = { network: transaction.network, asset: intent?.asset, to: intent?.to, units: intent?.units }
  if (!isDeepStrictEqual(says, { network: blockchain, asset: ticker, to, units: units.toString() })) {
    throw new Error(
      `the signer signed ${transaction.hash} as ${says.units} ${says.asset} units to ${says.to} on ${says.network}; ` +
        `the withdrawal is ${units} ${ticker} units to ${to} on ${blockchain}: it is another payment under the same name, and can't be attached`,
    )
  }
  const form = readForm(transaction)
  if (!pays(deps, withdrawal, units, form))
    throw new Error(`the bytes of ${transaction.hash} do not pay the withdrawal`)
  return form
}

const pays = (deps: AttachDeps, withdrawal: Withdrawal, units: bigint, { action, sender }: SignedForm): boolean => {
  const { ticker, blockchain, to } = withdrawal
  const { contract } = deps.catalogue.findCrypto(ticker)!.networks.get(blockchain)!
  switch (action.kind) {
    case 'call': {
      const call = paymentCall({ to, units, contract })
      return (
        action.call.to.toLowerCase() === call.to.toLowerCase() &&
        action.call.value === call.value &&
        action.call.data === call.data
      )
    }
    case 'contract': {
      const payment = tronPayment({ from: sender!, to, units, contract })
      const forms = payment.kind === 'TransferContract' ? [payment, contractCallPaying(payment)] : [payment]
      return forms.some((form) => isDeepStrictEqual(action.contract, form))
    }
    case 'outputs': {
      const { script } = paymentOf(deps, withdrawal)
      return action.outputs.some((output) => output.units === units && Buffer.compare(output.script, script) === 0)
    }
  }
}

const chainUnits = (catalogue: Catalogue, { ticker, blockchain, units }: Withdrawal): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return rescale(units, asset.scale, asset.networks.get(blockchain)!.decimals)
}

/** Returns the height of the block that contains one of them, or null. */
const minedHeight = async (adapter: AttachDeps['adapter'], forms: readonly SignedForm[]): Promise<number | null> => {
  for (const { hash } of forms) {
    const status = await adapter.statusOf(hash)
    if (status.kind === 'mined') return status.height
  }
  return null
}

/** Maximum difference between the signer's clock and the chain's. */
const CLOCKS_MS = 5 * 60_000

/** The result of searching blocks for transactions that were unknown when the watcher read them. */
interface Seen {
  /** height of the block that contains one of them */
  minedAt: number | null
  /** the height searched up to; null if no other block can contain one unnoticed */
  through: number | null
}

const ALL_SEEN: Seen = { minedAt: null, through: null }

/**
 * On TRON only the expiration ends a transaction, and the blocks that our watcher reads prove that it was not mined.
 * This function reads again, from the node, the blocks that the watcher read before the transaction was known: those
 * made between the first signature and the last expiration.
 * @param from lowest height to read
 */
const passedUnseen = async (
  { runtime, adapter }: AttachDeps,
  transactions: readonly SignedTransaction[],
  from: number,
): Promise<Seen> => {
  if (adapter.network !== 'TRON') return ALL_SEEN
  const hashes = new Set(transactions.map(({ hash }) => hash))
  // A payment is planned one lifetime before it expires, by the chain's clock; the signer's clock may be far ahead of
  // it.
  const since =
    Math.min(...transactions.map(({ at, expiresAt }) => Math.min(at, (expiresAt ?? at) - TRON_LIFETIME_MS))) - CLOCKS_MS
  const until = Math.max(...transactions.map(({ at, expiresAt }) => expiresAt ?? at))
  const through = await cursorHeight(runtime.db)
  for (let height = from > 0 ? from : await firstFrom(adapter, since, through); height <= through; height += 1) {
    const block = await blockOf(adapter, height)
    if (block.transactions.some(({ hash }) => hashes.has(hash))) return { minedAt: height, through: null }
    if (block.time > until) return ALL_SEEN
  }
  return { minedAt: null, through }
}

/**
 * Returns the height up to which our watcher has read TRON; -1 before it has started. Within a transaction the height
 * is locked: the watcher continues only after its end.
 */
const cursorHeight = async (db: Db | Tx): Promise<number> => (await shareHeight(db, 'TRON')) ?? -1

/** Returns the lowest height of a block made at or after `time`; `top + 1` if there is none. */
const firstFrom = async (adapter: AttachDeps['adapter'], time: number, top: number): Promise<number> => {
  let [low, high] = [0, top + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await blockOf(adapter, middle)).time < time) low = middle + 1
    else high = middle
  }
  return low
}

const blockOf = async (adapter: AttachDeps['adapter'], height: number): Promise<Block> => {
  const block = await adapter.blockAt(height)
  if (!block)
    throw new Error(`the node of ${adapter.network} has no block ${height}: nothing is stored; try again when it has`)
  return block
}

interface Found {
  transactions: readonly SignedTransaction[]
  forms: readonly SignedForm[]
  seen: Seen
}

/** Returns false if the watcher has read more blocks meanwhile: those must be searched first. */
const store = async (
  tx: Tx,
  deps: AttachDeps,
  { blockchain: network, id: asked }: Withdrawal,
  { transactions, forms, seen: { through } }: Found,
): Promise<boolean> => {
  if (through !== null && (await cursorHeight(tx)) > through) return false
  const moment = momentOf(deps.runtime)
  const id = moment.newId()
  const effects = await adoptSigned(tx, { id, network, forms }, moment)
  const intents = [...new Set(transactions.flatMap((transaction) => transaction.intents.map((intent) => intent.id)))]
  for (const paid of await waitingByIntent(tx, network, intents)) {
    // Another order with the same intent is a different payment unless the transaction matches it, too.
    const isPaid = paid.id === asked || transactions.every((transaction) => isCheckedAs(deps, paid, transaction))
    if (!isPaid) await bar(tx, paid, 'signed', `transaction ${forms.map(({ hash }) => hash).join(', ')}`, moment)
    else if (await move(tx, paid, 'planned', moment.at, { outgoingId: id }))
      await resolveAlert(tx, ALERT, paid.id, moment.at)
  }
  await carryOut(tx, effects, moment)
  return true
}

const isCheckedAs = (deps: AttachDeps, withdrawal: Withdrawal, transaction: SignedTransaction): boolean => {
  try {
    checked(deps, withdrawal, transaction)
    return true
  } catch {
    return false
  }
}
