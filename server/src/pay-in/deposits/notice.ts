import type { Catalogue } from '../../market/assets/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import { hasHash, type Deposit } from './deposit.ts'

/**
 * The body of a `Replenish` notification and of the lookup, in the status that was notified last (`contract.md` 6.1).
 * Empty fields are omitted: `meta` of an address without one, and `hash` of money that moved without a transaction or
 * whose transaction is unknown.
 */
export const depositBody = (deposit: Deposit, catalogue: Catalogue): Record<string, unknown> => {
  const { notified, internal, meta, blockHeight } = deposit
  const scale = scaleOf(deposit, catalogue)
  return {
    id: deposit.id,
    ticker: deposit.asset,
    blockchain: deposit.network,
    merchantId: deposit.merchantId,
    ...(hasHash(deposit) ? { hash: deposit.transaction } : {}),
    ...((notified === 'Done' || notified === 'Verified') && blockHeight !== null ? { block: blockHeight } : {}),
    from: deposit.senders,
    to: deposit.address,
    amount: formatUnits(deposit.units, scale),
    fee: formatUnits(deposit.fee, scale),
    time: deposit.createdAt.getTime(),
    status: notified,
    ...(meta === null || meta === '' ? {} : { meta }),
    kind: 'Replenish',
    internal,
    ...(internal ? { withdrawId: deposit.transaction } : {}),
    ...(notified === 'Failed' ? { failReason: deposit.failReason } : {}),
    ...(notified === 'Verified' ? { compliance: deposit.compliance } : {}),
  }
}

export const depositNotice = (deposit: Deposit, catalogue: Catalogue): Notice => ({
  merchantId: deposit.merchantId,
  objectId: deposit.id,
  kind: 'Replenish',
  status: deposit.notified,
  body: depositBody(deposit, catalogue),
})

const scaleOf = ({ asset, id }: Deposit, catalogue: Catalogue): number => {
  const known = catalogue.findCrypto(asset)
  if (!known) throw new Error(`deposit ${id} is in ${asset}, which the configured assets lack: list it again`)
  return known.scale
}
