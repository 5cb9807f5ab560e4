import { formatUnits } from '../../platform/money/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import type { Exchange } from './exchange.ts'
import { PRICE_DECIMALS } from './pricing.ts'

/** The body of an `Exchange` notification (`contract.md` 6.8). Empty fields are left out. */
export const exchangeNotice = (e: Omit<Exchange, 'transferId'>, scales: { spend: number; target: number }): Notice => ({
  merchantId: e.merchantId,
  objectId: e.id,
  kind: 'Exchange',
  status: e.state === 'done' ? 'Done' : 'Failed',
  body: {
    kind: 'Exchange',
    id: e.id,
    merchantId: e.merchantId,
    status: e.state === 'done' ? 'Done' : 'Failed',
    time: e.createdAt.getTime(),
    fee: formatUnits(e.fee, scales.spend),
    targetTicker: e.targetTicker,
    targetAmount: formatUnits(e.target, scales.target),
    spendTicker: e.spendTicker,
    spendAmount: formatUnits(e.exchange + e.fee, scales.spend),
    price: formatUnits(e.price, PRICE_DECIMALS),
    pricePair: [e.first, e.second],
    ...(e.meta === null || e.meta === '' ? {} : { meta: e.meta }),
    ...(e.localId === null ? {} : { localId: e.localId }),
    ...(e.failedReason === null ? {} : { failedReason: e.failedReason }),
  },
})
