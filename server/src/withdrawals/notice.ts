import type { CryptoAsset } from '../assets/index.ts'
import { formatUnits } from '../money/index.ts'
import type { Notice } from '../webhooks/index.ts'
import type { Withdrawal } from './withdrawal.ts'

export type WireStatus = 'Pending' | 'Done' | 'Failed'

/** What is known of the chain transaction that carries a withdrawal. */
export interface Carried {
  hash: string | null
  from: readonly string[]
  block: number | null
}

/** The newest status that notifications have told. */
export const wireStatus = ({ state, doneSent }: Withdrawal): WireStatus => {
  if (state === 'failed') return 'Failed'
  return doneSent ? 'Done' : 'Pending'
}

/** The body of a `Withdraw` notification and of the lookup (`contract.md` 6.2): empty fields are left out. */
export const withdrawalBody = (
  withdrawal: Withdrawal,
  asset: CryptoAsset,
  status: WireStatus,
  carried: Carried,
): Record<string, unknown> => ({
  id: withdrawal.id,
  ticker: withdrawal.ticker,
  blockchain: withdrawal.blockchain,
  merchantId: withdrawal.merchantId,
  ...(carried.hash === null ? {} : { hash: carried.hash }),
  ...(status === 'Done' && carried.block !== null ? { block: carried.block } : {}),
  from: [...carried.from],
  to: withdrawal.to,
  amount: formatUnits(withdrawal.units, asset.scale),
  fee: formatUnits(withdrawal.fee, asset.scale),
  time: withdrawal.createdAt.getTime(),
  status,
  ...(withdrawal.meta === null ? {} : { meta: withdrawal.meta }),
  ...(withdrawal.localId === null ? {} : { localId: withdrawal.localId }),
  kind: 'Withdraw',
  internal: withdrawal.internal,
  ...(status === 'Failed' ? { failReason: withdrawal.failReason ?? 'ERRROR_CODE_GENERIC' } : {}),
})

/**
 * What tells the merchant of a status. A part of something larger says so in that one's words, which know no Pending
 * (`contract.md` 6.7).
 */
export const withdrawalNotices = (withdrawal: Withdrawal, asset: CryptoAsset, status: WireStatus, carried: Carried): Notice[] => {
  const { merchantId, toldAs, internal, failReason } = withdrawal
  if (toldAs === null) return [withdrawalNotice(withdrawal, asset, status, carried)]
  if (status === 'Pending') return []
  const { kind, objectId } = toldAs
  const body = {
    ...toldAs.body,
    status,
    internal,
    ...(carried.hash === null ? {} : { hash: carried.hash }),
    ...(status === 'Failed' ? { failedReason: failReason ?? 'ERRROR_CODE_GENERIC' } : {}),
  }
  return [{ merchantId, objectId, kind, status, body }]
}

const withdrawalNotice = (
  withdrawal: Withdrawal,
  asset: CryptoAsset,
  status: WireStatus,
  carried: Carried,
): Notice => ({
  merchantId: withdrawal.merchantId,
  objectId: withdrawal.id,
  kind: 'Withdraw',
  status,
  body: withdrawalBody(withdrawal, asset, status, carried),
})
