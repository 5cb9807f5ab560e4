import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import type { Tx } from '../../platform/db/index.ts'
import {
  stopDebtors,
  lockAvailable,
  lockDebts,
  pairText,
  liftDebtorStops,
  type Pair,
} from '../../ledger/debts/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Item } from '../../ledger/postings/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { isSum, type Deposit } from './deposit.ts'
import { becameBy, notifySubscribers } from './subscribers.ts'
import { depositMoves, type DepositEffect, type DepositEvent, type DepositState } from './machine.ts'
import { depositNotice } from './notice.ts'
import { creditItem, setAsideItem, takeBackItem, type HoldingKind } from './posting.ts'
import type { DepositSettings } from './settings.ts'
import type { Moved } from './store.ts'

/** Carries out the effects that the state machine lists for the moves of an event. */
export const consequencesOf = async (
  tx: Tx,
  event: DepositEvent,
  moved: readonly Moved[],
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  if (moved.length === 0) return { items: [], notices: [] }
  const having = (effect: DepositEffect): Moved[] =>
    moved.filter(({ before }) => moveOf(depositMoves, before.state, event)!.effects.includes(effect))
  const became = becameBy[event]
  const changes = became === undefined ? [] : moved.map(({ deposit }) => ({ deposit, became, at: moment.at }))
  const { effects, unnotified, afterAll } = await notifySubscribers(tx, settings.depositSubscribers, changes, moment)
  const isNotified = ({ deposit, before }: Moved): boolean =>
    (deposit.notified !== before.notified && !unnotified.has(deposit.id)) || afterAll.has(deposit.id)
  const verified = new Set(having('notifyVerified'))
  // A deposit that is Verified when it is credited is notified as Done first.
  const news = [...having('notifyDone'), ...having('notifyFailed')]
    .filter(isNotified)
    .flatMap((one) =>
      verified.has(one) ? [{ ...one.deposit, notified: 'Done' as const }, one.deposit] : [one.deposit],
    )
  const own: Effects = {
    items: [
      ...having('quarantine').map(({ deposit }) => setAsideItem(deposit, 'quarantine', moment)),
      ...(await creditAll(tx, having('credit'), 'source', moment)),
      ...(await creditAll(tx, having('release'), 'quarantine', moment)),
      ...(await suspendAll(tx, having('suspend'), moment)),
      ...(await takeBackAll(tx, having('takeBack'), moment)),
    ],
    notices: news.map((deposit) => depositNotice(deposit, settings.catalogue)),
  }
  return joinEffects([own, effects, await notifyMoved(tx, event, moved, settings, moment)])
}

/** Returns the items that credit deposits. Each repays the debt that those before it leave. */
const creditAll = async (
  tx: Tx,
  moved: readonly Moved[],
  from: 'source' | 'quarantine',
  moment: Moment,
): Promise<Item[]> => {
  if (moved.length === 0) return []
  const deposits = moved.map(({ deposit }) => deposit)
  const debts = await lockDebts(tx, deposits)
  const repaid: Pair[] = []
  const items = deposits.map((deposit) => {
    const key = pairText(deposit)
    const before = debts.get(key) ?? 0n
    const { item, owed } = creditItem(deposit, from, before, moment)
    if (before > 0n && owed === 0n) repaid.push(deposit)
    debts.set(key, owed)
    return item
  })
  await liftDebtorStops(tx, repaid, moment)
  return items
}

const suspendAll = async (tx: Tx, moved: readonly Moved[], moment: Moment): Promise<Item[]> => {
  for (const { deposit } of moved) {
    // An operator has refused the latter (`first-seed.ts`).
    if (deposit.failReason === 'LESS_THEN_MIN_AMOUNT' || deposit.failReason === 'ERRROR_CODE_GENERIC') continue
    const text =
      `Deposit ${deposit.id} of ${deposit.asset} was mined after its merchant was notified that it had failed; ` +
      `the money is in suspense: find its owner, and move it by \`bursar adjust\` (docs/operating/adjustments.md)`
    await raiseAlert(tx, { kind: 'deposit-returned', subject: deposit.id, text }, moment)
  }
  return moved.map(({ deposit }) => setAsideItem(deposit, 'suspense', moment))
}

/**
 * Returns the items that reverse deposits. They take at most the available amount; the rest becomes a debt of the
 * merchant.
 */
const takeBackAll = async (tx: Tx, moved: readonly Moved[], moment: Moment): Promise<Item[]> => {
  if (moved.length === 0) return []
  const all = await lockAvailable(
    tx,
    moved.map(({ deposit }) => deposit),
  )
  const debtors: Pair[] = []
  const items: Item[] = []
  // A sum of small deposits returns to suspense before its parts are taken out of suspense.
  const [sums, others] = [moved.filter(({ deposit }) => isSum(deposit)), moved.filter(({ deposit }) => !isSum(deposit))]
  for (const { deposit, before } of [...sums, ...others]) {
    const account = holdingKindOf(before.state)
    const available = all.get(pairText(deposit))!
    const { item, taken, short } = takeBackItem(deposit, { account, available: available[account] }, moment)
    available[account] -= taken
    if (isSum(deposit)) available.suspense += deposit.units
    items.push(item)
    if (short > 0n) debtors.push(deposit)
    if (before.state === 'credited' || short > 0n) await alertReversed(tx, deposit, short, moment)
  }
  await stopDebtors(tx, debtors, moment)
  return items
}

const holdingKindOf = (state: DepositState): HoldingKind => {
  if (state === 'credited') return 'merchant'
  return state === 'suspended' ? 'suspense' : 'quarantine'
}

const alertReversed = async (tx: Tx, deposit: Deposit, short: bigint, moment: Moment): Promise<void> => {
  const { id, merchantId, network, asset, units } = deposit
  const lost = `A reorganisation of ${network} reversed deposit ${id} of merchant ${merchantId}: it is credited again if a block contains it again`
  const spent = `the merchant had spent the money, so its withdrawals of ${asset} are stopped until the debt is repaid`
  const text = short > 0n ? `${lost}; ${spent}` : lost
  const detail = { network, asset, units: `${units}`, shortUnits: `${short}` }
  await raiseAlert(tx, { kind: 'deposit-reversed', subject: id, text, detail }, moment)
}

const notifyMoved = async (
  tx: Tx,
  event: DepositEvent,
  moved: readonly Moved[],
  { onCredited, onVerified = [], onHeld = [] }: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const all: Effects[] = []
  if (event === 'withheld')
    for (const subscriber of onHeld)
      all.push(
        await subscriber(
          tx,
          moved.map(({ deposit }) => deposit),
          moment,
        ),
      )
  if (event === 'cleared')
    for (const subscriber of onVerified)
      all.push(
        await subscriber(
          tx,
          moved.map(({ deposit }) => ({ deposit, again: false })),
          moment,
        ),
      )
  if (event !== 'confirmed') return joinEffects(all)
  const credited = moved.map(({ deposit, before }) => ({
    deposit,
    again: before.notified === 'Done' || before.notified === 'Verified',
  }))
  for (const { deposit } of credited.filter(({ again }) => again)) {
    await resolveAlert(tx, 'deposit-reversed', deposit.id, moment.at)
  }
  for (const subscriber of onCredited) all.push(await subscriber(tx, credited, moment))
  return joinEffects(all)
}
