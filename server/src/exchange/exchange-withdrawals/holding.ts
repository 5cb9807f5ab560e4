import { orderErrors } from '@bursar/contract'
import type { Tx } from '../../platform/db/index.ts'
import { apply, type Item } from '../../ledger/postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { refusal, refusalOf } from '../../ledger/orders/index.ts'

/**
 * Stores the order that sends the bought asset, and holds its money. @param localId null: no merchant gave one, or it
 * identifies the cause @throws ApiRefusal when the localId is taken
 */
export const hold = async (
  tx: Tx,
  item: Pick<Item, 'transfer' | 'rows'>,
  localId: string | null,
  operation: string,
): Promise<void> => {
  const [outcome] = await apply(tx, [
    { ...item, ...(localId === null ? {} : { localId: { value: localId, operation } }) },
  ])
  if (outcome!.kind === 'applied') return
  if (outcome!.kind === 'refused' && outcome!.guard === 'local-id-taken') throw refusalOf(outcome!, 0)
  throw new Error(`what was just bought could not be held: ${outcome!.kind}`)
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
