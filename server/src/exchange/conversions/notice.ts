import { formatUnits } from '../../platform/money/index.ts'
import { pairOf } from '../exchanges/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import type { Conversion } from './conversion.ts'

/**
 * Tells that received money stays what it is: as an exchange, or as an exchange with withdrawal that never came to be
 * Exchanged (`contract.md` 4.1, 6.7, 6.8). There was no price and nothing was spent, so that what would tell of them is
 * 0.
 * @param scale of what was received
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
