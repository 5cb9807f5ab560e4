import type { Exchange } from '../exchanges/index.ts'
import { PRICE_DECIMALS } from '../exchanges/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Place } from '../../pay-out/withdrawals/index.ts'

export type CausedBy = 'fiat-invoice' | 'crypto-invoice' | 'crypto-replenishment'

/** Fields of the exchange in a notification. */
type NotifiedExchange = Pick<
  Exchange,
  | 'merchantId'
  | 'createdAt'
  | 'spendTicker'
  | 'targetTicker'
  | 'exchange'
  | 'fee'
  | 'target'
  | 'price'
  | 'first'
  | 'second'
>

/** Fields of an exchange with withdrawal in every status (`contract.md` 6.7). Fees and amounts are ledger units. */
export interface ExchangedOrder {
  id: string
  exchange: NotifiedExchange
  direction: { spend: { scale: number }; target: { scale: number } }
  /** withdrawal fee, in `exchange.target` */
  fee: bigint
  localId: string | null
  meta: string | null
  causedBy: CausedBy | null
}

const fixedFields = ({ id, exchange, direction: { spend, target }, fee, localId, meta, causedBy }: ExchangedOrder) => ({
  id,
  merchantId: exchange.merchantId,
  time: exchange.createdAt.getTime(),
  ticker: exchange.targetTicker,
  amount: formatUnits(exchange.target, target.scale),
  fee: formatUnits(fee, target.scale),
  exchangeFee: formatUnits(exchange.fee, spend.scale),
  spendTicker: exchange.spendTicker,
  spendAmount: formatUnits(exchange.exchange + exchange.fee, spend.scale),
  price: formatUnits(exchange.price, PRICE_DECIMALS),
  pricePair: [exchange.first, exchange.second],
  exchanged: true,
  ...(meta === null || meta === '' ? {} : { meta }),
  ...(localId === null ? {} : { localId }),
  ...(causedBy === null ? {} : { causedBy }),
})

/** The constant fields of the notifications when the proceeds go to an address. */
export const cryptoBody = (whole: ExchangedOrder, { where, asSent }: Place): Record<string, unknown> => ({
  kind: 'CryptoExchangeWithdraw',
  ...fixedFields(whole),
  blockchain: where.on.network,
  address: asSent,
  to: asSent,
})

/** The constant fields of the notifications when the proceeds are paid to a card. */
export const fiatBody = (whole: ExchangedOrder, maskedCard: string): Record<string, unknown> => ({
  kind: 'FiatExchangeWithdraw',
  ...fixedFields(whole),
  to: maskedCard,
})
