import type { AmountLimits } from '../../adapters/acquirers/port.ts'
import { chargeOf, type FiatAsset } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { NewOrder } from '../../ledger/orders/index.ts'
import { allocate } from '../../platform/money/index.ts'
import { maskCard } from '../../platform/api/card-numbers.ts'
import type { SecretBox } from '../../platform/config/secrets.ts'
import type { Part, Payout } from './payout.ts'
import { holdItem } from './postings.ts'
import { cardOf } from './sending.ts'
import { split, type Random } from './splitting.ts'
import { partRowOf, partRows, payoutRowOf, payoutRows } from './store.ts'

/** Dependencies of a new payout. */
export interface PlacingDeps {
  /** with the key of card numbers */
  cards: Pick<SecretBox, 'seal'>
  /** makes the parts differ; it need not be unpredictable */
  random: Random
}

/** The operator's fee for a whole payout, in ledger units, for any number of parts. */
export const currentFee = ({ payout }: FiatAsset, units: bigint): bigint => chargeOf(payout.fee, units)

type Given = Pick<Payout, 'merchantId' | 'kind' | 'units' | 'fee' | 'localId' | 'meta' | 'notifiedAs'>

export const newPayout = (given: Given, { ticker }: FiatAsset, card: string, { at, newId }: Moment): Payout => ({
  ...given,
  id: newId(),
  ticker,
  maskedCard: maskCard(card),
  holdId: newId(),
  createdAt: at,
})

/**
 * Returns the order of a new payout, with the rows of its parts. @param limits of each part; `keyId` of the API key
 * that signed the request
 */
export const orderOf = (
  payout: Payout,
  { card, limits, scale, keyId }: { card: string; limits: AmountLimits; scale: number; keyId: string | null },
  { cards, random }: PlacingDeps,
  newId: () => string,
): NewOrder => {
  const amounts = payout.kind === 'single' ? [payout.units] : split(payout.units, limits, 10n ** BigInt(scale), random)
  const parts = partsFor(payout, amounts, newId)
  const { transfer } = holdItem(payout, payout.units + payout.fee, payout.createdAt, payout.holdId)
  return {
    transfer,
    rows: [
      {
        table: payoutRows,
        values: payoutRowOf(payout, { sealedCard: cards.seal(card, cardOf(payout)), parts: parts.length, keyId }),
      },
      ...parts.map((part) => ({ table: partRows, values: partRowOf(part) })),
    ],
    operation: payout.kind === 'single' ? 'createFiatWithdrawal' : 'createFiatBatchWithdrawal',
    localId: payout.localId,
    scale,
  }
}

type NewPart = Pick<Part, 'merchantId' | 'payoutId' | 'number' | 'id' | 'ticker' | 'units' | 'fee' | 'createdAt'>

/** Makes the parts. The fee is divided among them in proportion to their amounts, exactly to the unit. */
const partsFor = (payout: Payout, amounts: readonly bigint[], newId: () => string): NewPart[] => {
  const fees = allocate(payout.fee, amounts)
  const { merchantId, id: payoutId, ticker, createdAt } = payout
  return amounts.map((units, number) => ({
    merchantId,
    payoutId,
    number,
    id: newId(),
    ticker,
    units,
    fee: fees[number]!,
    createdAt,
  }))
}
