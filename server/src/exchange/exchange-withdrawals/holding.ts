import { orderErrors } from '@bursar/contract'
import type { Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { placeWithin, type NewOrder } from '../../ledger/orders/index.ts'
import { type AnswerKey, refusal } from '../../platform/api/route.ts'
import { exchangeWithdrawalRows, rowOf, type ExchangeWithdrawal } from './store.ts'

/**
 * Places the order that sends the bought asset as the whole order that the request asks for.
 * @param answerKeys of the request
 * @throws ApiRefusal when the localId is taken
 */
export const placeAsWhole = async (
  tx: Tx,
  sent: NewOrder,
  whole: ExchangeWithdrawal,
  answerKeys: readonly AnswerKey[],
): Promise<NewOrder> => {
  const order: NewOrder = {
    ...sent,
    rows: [...sent.rows!, { table: exchangeWithdrawalRows, values: rowOf(whole, sent.transfer) }],
    operation: whole.kind === 'crypto' ? 'createCryptoExchangeWithdrawal' : 'createFiatExchangeWithdrawal',
    // An order with a cause is named for it, and no merchant can use that name.
    localId: whole.causedBy === null ? whole.localId : null,
  }
  await placeWithin(tx, order, answerKeys)
  return order
}

/** Returns the proceeds less the fee, in ledger units; refuses when nothing is left. */
export const lessFee = (
  received: bigint,
  fee: bigint,
  { ticker, scale }: { ticker: string; scale: number },
): bigint => {
  if (received > fee) return received - fee
  const [has, costs] = [formatUnits(received, scale), formatUnits(fee, scale)]
  throw refusal(
    orderErrors.amountTooLow,
    `Withdraw amount too low: of ${has} ${ticker} the fee takes ${costs}`,
    'amount',
  )
}
