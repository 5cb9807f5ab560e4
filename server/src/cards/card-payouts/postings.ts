import { paidOutEntries } from '../acquiring/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { mergeEntries, type AccountKind, type Item, type TransferEntry } from '../../ledger/postings/index.ts'
import type { Part, Payout } from './payout.ts'

type Owner = Pick<Payout, 'merchantId' | 'id' | 'ticker'>
/** The acquirer's account that paid, and its fee in minor units; 0 while unknown. */
export interface PaidBy {
  account: string
  costUnits: bigint
}

const entry = ({ merchantId, ticker }: Owner, kind: AccountKind, posted: bigint, held = 0n): TransferEntry => ({
  account: { merchantId, asset: ticker, kind },
  posted,
  held,
})

const itemOf = (
  owner: Owner,
  kind: Item['transfer']['kind'],
  entries: readonly TransferEntry[],
  { at, id }: { at: Date; id: string },
  closes?: string,
): Item => ({
  transfer: {
    id,
    merchantId: owner.merchantId,
    kind,
    cause: { kind: 'card-payout', id: owner.id },
    entries: mergeEntries(entries),
    at,
    ...(closes === undefined ? {} : { closes }),
  },
})

/** Holds the amount and fee of parts that have not ended. @param id of the transfer, which is also the hold's id */
export const holdItem = (owner: Owner, units: bigint, at: Date, id: string): Item =>
  itemOf(owner, 'hold', [entry(owner, 'merchant', 0n, units)], { at, id })

const acquirerEntries = (
  { merchantId, ticker }: Owner,
  units: bigint,
  { account, costUnits }: PaidBy,
): TransferEntry[] => paidOutEntries({ merchantId, ticker, acquirer: account, units, costUnits })

/**
 * Captures a paid part: its amount leaves the acquirer's account, its fee is income. A hold ends as a whole, so the
 * next item of the same call holds the remaining parts' money again; no other order can use it in between.
 * @param held the amount of the hold
 */
export const captureItem = (payout: Payout, part: Part, held: bigint, paidBy: PaidBy, { at, newId }: Moment): Item =>
  itemOf(
    payout,
    'capture',
    [
      entry(payout, 'merchant', -(part.units + part.fee), -held),
      entry(payout, 'fees', part.fee),
      ...acquirerEntries(payout, part.units, paidBy),
    ],
    { at, id: newId() },
    payout.holdId,
  )

/** Releases the amount and fee of a part that is proven not to be paid. @param held the amount of the hold */
export const releaseItem = (payout: Payout, held: bigint, { at, newId }: Moment): Item =>
  itemOf(payout, 'release', [entry(payout, 'merchant', 0n, -held)], { at, id: newId() }, payout.holdId)

/**
 * Posts the return of a paid part's money to the acquirer. The merchant gets it with the fee, less its debt. The
 * acquirer's fee stays a cost.
 * @param owed the debt, not negative
 */
export const returnItem = (
  payout: Payout,
  part: Part,
  account: string,
  owed: bigint,
  { at, newId }: Moment,
): { item: Item; owed: bigint } => {
  const back = part.units + part.fee
  const repaid = owed < back ? owed : back
  const entries = [
    entry(payout, 'merchant', back - repaid),
    entry(payout, 'receivable', repaid),
    entry(payout, 'fees', -part.fee),
    ...acquirerEntries(payout, -part.units, { account, costUnits: 0n }),
  ]
  return { item: itemOf(payout, 'post', entries, { at, id: newId() }), owed: owed - repaid }
}

/** Posts an acquirer's fee that became known after the payment. */
export const lateFeeItem = (payout: Payout, account: string, costUnits: bigint, { at, newId }: Moment): Item =>
  itemOf(payout, 'post', acquirerEntries(payout, 0n, { account, costUnits }), { at, id: newId() })
