/** Deposit addresses, given out as the api does it. */
import type { Network } from '@bursar/chainkit'
import { familyOf, issueInside, type DepositKeys } from '../../server/src/chain/addresses/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'

/** A deposit within the lease's time moves its end. */
export interface Lease {
  untilMs: number
  afterMs: number
}

/** A new address of a merchant's, permanent without a lease. */
export const giveAddress = (
  runtime: Runtime,
  keys: DepositKeys,
  wanted: { merchantId: string; blockchain: Network; id?: string; meta?: string | null; lease?: Lease | undefined },
): Promise<string> => {
  const { merchantId, blockchain, lease } = wanted
  const { at, newId } = momentOf(runtime)
  return inTransaction(runtime.db, (tx) =>
    issueInside(tx, keys, {
      merchantId,
      id: wanted.id ?? newId(),
      family: familyOf(blockchain),
      blockchain,
      meta: wanted.meta ?? null,
      leasedUntil: lease ? new Date(lease.untilMs) : null,
      leaseAfterDepositMs: lease?.afterMs ?? null,
      createdAt: at,
      answer: { keys: [], before: '', after: '' },
    }),
  )
}
