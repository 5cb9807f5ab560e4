/** Deposit addresses, given out as the api does it. */
import type { Network } from '@bursar/chainkit'
import { familyOf, issueInside, type DepositKeys } from '../../server/src/chain/addresses/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'

/** A new permanent address of a merchant's. */
export const giveAddress = (
  runtime: Runtime,
  keys: DepositKeys,
  { merchantId, blockchain }: { merchantId: string; blockchain: Network },
): Promise<string> => {
  const { at, newId } = momentOf(runtime)
  return inTransaction(runtime.db, (tx) =>
    issueInside(tx, keys, {
      merchantId,
      id: newId(),
      family: familyOf(blockchain),
      blockchain,
      meta: null,
      leasedUntil: null,
      leaseAfterDepositMs: null,
      createdAt: at,
      answer: { keys: [], before: '', after: '' },
    }),
  )
}
