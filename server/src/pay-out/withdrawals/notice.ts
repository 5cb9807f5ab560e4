import { appearanceOf, appearancesOf } from '../../chain/transactions/index.ts'
import type { OrderFinder } from '../../ledger/orders/index.ts'
import type { Catalogue, CryptoAsset } from '../../market/assets/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { findById } from './store.ts'
import type { NotifiedAs, Withdrawal } from './withdrawal.ts'

export type WireStatus = 'Pending' | 'Done' | 'Failed'

/** The transaction of a withdrawal, as far as it is known. */
export interface Carried {
  hash: string | null
  from: readonly string[]
  block: number | null
}

/** Returns the newest status that was notified. */
export const wireStatus = ({ state, doneSent }: Withdrawal): WireStatus => {
  if (state === 'failed') return 'Failed'
  return doneSent ? 'Done' : 'Pending'
}

/** The body of a `Withdraw` notification and of the lookup (`contract.md` 6.2), without empty fields. */
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
  to: withdrawal.toAsSent ?? withdrawal.to,
  amount: formatUnits(withdrawal.units, asset.scale),
  fee: formatUnits(withdrawal.fee, asset.scale),
  time: withdrawal.createdAt.getTime(),
  status,
  ...(withdrawal.meta === null ? {} : { meta: withdrawal.meta }),
  ...localIdOf(withdrawal),
  kind: 'Withdraw',
  internal: withdrawal.internal,
  ...(status === 'Failed' ? { failReason: withdrawal.failReason ?? 'ERRROR_CODE_GENERIC' } : {}),
})

/** A withdrawal that is a part of a larger order has that order's localId. */
const localIdOf = ({ localId, notifiedAs }: Withdrawal): Record<string, unknown> => {
  const given = localId ?? notifiedAs?.body.localId
  return given === undefined || given === null ? {} : { localId: given }
}

/**
 * Returns the notifications of a status. A withdrawal that is a part of a larger order is notified as that order, which
 * has no Pending (`contract.md` 6.7).
 */
export const withdrawalNotices = (
  withdrawal: Withdrawal,
  asset: CryptoAsset,
  status: WireStatus,
  carried: Carried,
): Notice[] => {
  const { merchantId, notifiedAs } = withdrawal
  if (notifiedAs === null) return [withdrawalNotice(withdrawal, asset, status, carried)]
  if (status === 'Pending') return []
  const { kind, objectId } = notifiedAs
  return [{ merchantId, objectId, kind, status, body: wholeBody(withdrawal, notifiedAs, status, carried) }]
}

const wholeBody = (
  { internal, failReason }: Withdrawal,
  { body }: NotifiedAs,
  status: WireStatus | 'Exchanged',
  carried: Carried,
): Record<string, unknown> => ({
  ...body,
  status,
  internal,
  ...(carried.hash === null ? {} : { hash: carried.hash }),
  ...(status === 'Failed' ? { failedReason: failReason ?? 'ERRROR_CODE_GENERIC' } : {}),
})

/** The body of the order's newest notification. A larger order is Exchanged before its withdrawal is Done. */
const orderBody = (withdrawal: Withdrawal, asset: CryptoAsset, carried: Carried): Record<string, unknown> => {
  const [status, { notifiedAs }] = [wireStatus(withdrawal), withdrawal]
  if (notifiedAs === null) return withdrawalBody(withdrawal, asset, status, carried)
  return wholeBody(withdrawal, notifiedAs, status === 'Pending' ? 'Exchanged' : status, carried)
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

/** Finds withdrawals, including those that follow an exchange. */
export const createWithdrawalFinder =
  ({ db, catalogue }: { db: Db; catalogue: Catalogue }): OrderFinder =>
  async (merchantId, id) => {
    const withdrawal = await findById(db, merchantId, id)
    return withdrawal && orderBody(withdrawal, assetOf(catalogue, withdrawal), await carriedOf(db, withdrawal))
  }

export const assetOf = (catalogue: Catalogue, { ticker }: Withdrawal): CryptoAsset => {
  const asset = catalogue.findCrypto(ticker)
  if (!asset) throw new Error(`asset ${ticker} is no longer configured`)
  return asset
}

const NOT_CARRIED: Carried = { hash: null, from: [], block: null }

export const carriedOf = async (db: Db, { outgoingId }: Withdrawal): Promise<Carried> =>
  (outgoingId === null ? undefined : await appearanceOf(db, outgoingId)) ?? NOT_CARRIED

/** Returns the bodies of the lookups of many withdrawals, in their order. */
export const lookupBodies = async (
  db: Db,
  withdrawals: readonly Withdrawal[],
  catalogue: Catalogue,
): Promise<Record<string, unknown>[]> => {
  const carried = await appearancesOf(
    db,
    withdrawals.flatMap(({ outgoingId }) => outgoingId ?? []),
  )
  return withdrawals.map((one) =>
    withdrawalBody(one, assetOf(catalogue, one), wireStatus(one), carried.get(one.outgoingId ?? '') ?? NOT_CARRIED),
  )
}
