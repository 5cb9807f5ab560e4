import { formatUnits } from '../../platform/money/index.ts'
import { pairOf } from '../exchanges/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import type { Conversion } from './conversion.ts'

/**
 * Makes the notification that received money stays unconverted: a failed exchange, or a failed exchange with withdrawal
 * that was never Exchanged (`contract.md` 4.1, 6.7, 6.8). Price, fees and the received amount are 0, because nothing
 * was exchanged.
 * @param scale of the received asset
 */
export const failedNotice = (
  conversion: Conversion,
  { id, failedReason, scale }: { id: string; failedReason: string; scale: number },
): Notice => {
  const { merchantId, causeId, causedBy, ticker, units, target, createdAt } = conversion
  const { first, second } = pairOf(ticker, target.ticker)
  const kind = target.address === null ? 'Exchange' : 'CryptoExchangeWithdraw'
  const common = {
    kind,
    id,
    merchantId,
    status: 'Failed',
    time: createdAt.getTime(),
    fee: '0',
    spendTicker: ticker,
    spendAmount: formatUnits(units, scale),
    price: '0',
    pricePair: [first, second],
    localId: causeId,
    failedReason,
  }
  const body =
    target.address === null
      ? { ...common, targetTicker: target.ticker, targetAmount: '0' }
      : {
          ...common,
          ticker: target.ticker,
          amount: '0',
          exchangeFee: '0',
          exchanged: false,
          blockchain: target.blockchain,
          address: target.address,
          to: target.address,
          causedBy,
        }
  return { merchantId, objectId: id, kind, status: 'Failed', body }
}
