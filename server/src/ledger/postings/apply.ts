import { makesWork, throughTx, type Tx } from '../../platform/db/index.ts'
import { judge } from './judge.ts'
import { checkTransfer, type Item, type Outcome } from './posting.ts'
import { openAccounts, readForJudging, writeJudged, type AccountIds } from './store.ts'

/**
 * Applies items in an open transaction, one by one in their order. Returns for each that it was applied, or the guard
 * that refused it. The caller decides whether a refusal rolls back. Call it before anything that locks event heads.
 */
export const apply = async (tx: Tx, items: readonly Item[]): Promise<Outcome[]> => {
  if (items.length === 0) return []
  for (const item of items) checkTransfer(item.transfer)
  const query = throughTx(tx)
  // Ids of accounts that this transaction opens are lost if it rolls back, so they are not cached beyond it.
  const ids: AccountIds = new Map()
  await openAccounts(query, ids, items)
  const reading = await readForJudging(query, ids, items)
  const judged = judge(items, reading)
  await writeJudged(query, items, judged)
  makesWork(tx)
  return judged.outcomes
}

/** Like `apply`, for postings that must not be refused: a refusal is an error in our code and rolls back. */
export const applyAll = async (tx: Tx, items: readonly Item[]): Promise<void> => {
  const outcomes = await apply(tx, items)
  outcomes.forEach((outcome, i) => {
    if (outcome.kind === 'applied') return
    const guard = outcome.kind === 'refused' ? outcome.guard : outcome.kind
    throw new Error(`transfer ${items[i]!.transfer.id} was refused: ${guard}`)
  })
}
