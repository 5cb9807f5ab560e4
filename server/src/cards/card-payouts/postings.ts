import { paidOutEntries } from '../acquiring/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { tidyLegs, type AccountKind, type Item, type Leg } from '../../ledger/postings/index.ts'
import type { Part, Payout } from './payout.ts'

type Owner = Pick<Payout, 'merchantId' | 'id' | 'ticker'>
/** The acquirer's account that paid, and what it takes on top, minor units; 0 while that isn't known. */
export interface PaidBy {
  account: string
  costUnits: bigint
}

const leg = ({ merchantId, ticker }: Owner, kind: AccountKind, posted: bigint, held = 0n): Leg => ({
  account: { merchantId, asset: ticker, kind },
  posted,
  held,
})

const itemOf = (
  owner: Owner,
  kind: Item['transfer']['kind'],
  legs: readonly Leg[],
  { at, id }: { at: Date; id: string },
  closes?: string,
): Item => ({
  transfer: {
    id,
    merchantId: owner.merchantId,
    kind,
    cause: { kind: 'card-payout', id: owner.id },
    legs: tidyLegs(legs),
    at,
    ...(closes === undefined ? {} : { closes }),
  },
})

/** Holds amount and fee of parts that have not ended. @param id of the transfer, which is the hold's name */
export const holdItem = (owner: Owner, units: bigint, at: Date, id: string): Item =>
  itemOf(owner, 'hold', [leg(owner, 'merchant', 0n, units)], { at, id })

const acquirerEntries = ({ merchantId, ticker }: Owner, units: bigint, { account, costUnits }: PaidBy): Leg[] =>
  paidOutEntries({ merchantId, ticker, acquirer: account, units, costUnits })

/**
 * A part is paid: its amount has left the acquirer's account, its fee is income. A hold ends as a whole, so what other
 * parts still need is held again by the next item of the same call: no other order can take it in between.
 * @param held what the hold has
 */
export const captureItem = (payout: Payout, part: Part, held: bigint, paidBy: PaidBy, { at, newId }: Moment): Item =>
  itemOf(
    payout,
    'capture',
    [
      leg(payout, 'merchant', -(part.units + part.fee), -held),
      leg(payout, 'fees', part.fee),
      ...acquirerEntries(payout, part.units, paidBy),
    ],
    { at, id: newId() },
    payout.holdId,
  )

/** A part is proven not to be paid: its amount and fee are free again. @param held what the hold has */
export const releaseItem = (payout: Payout, held: bigint, { at, newId }: Moment): Item =>
  itemOf(payout, 'release', [leg(payout, 'merchant', 0n, -held)], { at, id: newId() }, payout.holdId)

/**
 * A part was paid and the acquirer has the money back: so has the merchant, with the fee, after what it owes. What the
 * acquirer took stays a cost.
 * @param owed not negative
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
  const legs = [
    leg(payout, 'merchant', back - repaid),
    leg(payout, 'receivable', repaid),
    leg(payout, 'fees', -part.fee),
    ...acquirerEntries(payout, -part.units, { account, costUnits: 0n }),
  ]
  return { item: itemOf(payout, 'post', legs, { at, id: newId() }), owed: owed - repaid }
}

/** What the acquirer took for a payment is known later than the payment. */
export const lateFeeItem = (payout: Payout, account: string, costUnits: bigint, { at, newId }: Moment): Item =>
  itemOf(payout, 'post', acquirerEntries(payout, 0n, { account, costUnits }), { at, id: newId() })
