import { orderErrors } from '@bursar/contract'
import type { Tx } from '../db/index.ts'
import { apply, type Item } from '../ledger/index.ts'
import { refusal } from '../orders/index.ts'

/**
 * Writes what sends the bought asset, and holds its money. @param localId null: it was given by nobody, or names what caused it
 * @throws ApiRefusal when the localId is taken
 */
export const hold = async (tx: Tx, item: Pick<Item, 'transfer' | 'rows'>, localId: string | null, operation: string): Promise<void> => {
  const [outcome] = await apply(tx, [{ ...item, ...(localId === null ? {} : { localId: { value: localId, operation } }) }])
  if (outcome!.kind === 'applied') return
  if (outcome!.kind === 'refused' && outcome!.guard === 'local-id-taken') {
    const { meaning } = orderErrors.localIdPlaced
    throw refusal(orderErrors.localIdPlaced, `${meaning}: ${outcome!.objectId} has it`, 'localId')
  }
  throw new Error(`what was just bought could not be held: ${outcome!.kind}`)
}
