import { generalErrors } from '@bursar/contract'
import { refusal } from '../../platform/api/route.ts'
import { type OrderPolicy } from '../../ledger/orders/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import {
  createConversionJob,
  createDepositExpecting,
  createTargetKeeper,
  expectFiat,
  type ConversionDeps,
} from '../../exchange/conversions/index.ts'
import type { CreditedSubscriber } from '../../pay-in/deposits/index.ts'
import { createQuoteStore, type TradingDeps, type ExchangePolicy } from '../../exchange/exchanges/index.ts'
import type { PaymentSubscriber } from '../../cards/acquiring/index.ts'
import { invoicesAt, isAskedFor } from '../../pay-in/crypto-invoices/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { defaultTargetOf } from '../../merchants/accounts/index.ts'
import type { PausePoint, WalletKeys } from '../../chain/transactions/index.ts'
import type { KeepTarget } from '../../platform/api/target.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createUsdtMarketsReader } from '../../market/rates/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import { createTermsReader, type AddressHolders, type Rules } from '../../pay-out/withdrawals/index.ts'

export interface ConvertingWorld {
  runtime: Runtime
  catalogue: Catalogue
  wallet: WalletKeys
  exchange: ExchangePolicy
}

const CONVERSIONS_EVERY_MS = 500

const rulesOf = ({ catalogue, wallet }: Pick<ConvertingWorld, 'catalogue' | 'wallet'>): Rules => ({
  catalogue,
  bitcoinChain: wallet.bitcoinChain,
})

/** Dependencies of this installation's exchanges and withdrawals. */
export const exchangingDeps = (
  world: ConvertingWorld,
  holders: Pick<AddressHolders, 'holderOf'>,
): Omit<ConversionDeps, 'pause'> & { trading: TradingDeps } => {
  const { runtime, catalogue } = world
  const { now } = runtime.clock
  return {
    trading: {
      runtime,
      policy: world.exchange,
      quoteStore: createQuoteStore(runtime),
      usdtMarkets: createUsdtMarketsReader(runtime.db, now),
      stops: createStopsReader(runtime.db, now),
    },
    placing: { holders, rules: rulesOf(world) },
    terms: createTermsReader(runtime.db, catalogue, now),
  }
}

export const createConversionJobs = (
  world: ConvertingWorld,
  holders: Pick<AddressHolders, 'holderOf'>,
  pause: PausePoint,
): Job[] => [createConversionJob({ ...exchangingDeps(world, holders), pause }, CONVERSIONS_EVERY_MS)]

/**
 * Stores targets. One with an address would send any amount later, without the policy of the merchant: it is refused
 * while the policy limits orders of the API.
 */
export const targetKeeper = (
  world: Omit<ConvertingWorld, 'exchange'>,
  orderPolicy: Pick<OrderPolicy, 'isLimited'>,
): KeepTarget => {
  const keep = createTargetKeeper(world.runtime.db, rulesOf(world))
  return async (owner, body) => {
    if (body.address !== undefined && (await orderPolicy.isLimited(owner.merchantId))) {
      const why = 'the payout policy of this merchant limits orders of the API: leave out address and blockchain'
      throw refusal(generalErrors.invalidRequest, why, 'target.address')
    }
    return keep(owner, body)
  }
}

/** Creates the subscriber that records conversions of credited deposits. */
export const depositExpecting = (): CreditedSubscriber =>
  createDepositExpecting({ invoicesAt, isAsked: isAskedFor, defaultTicker: defaultTargetOf })

/** Adds to a subscriber that conversions of credited fiat payments are recorded. */
export const expectingFiat = (subscriber: PaymentSubscriber): PaymentSubscriber => ({
  ...subscriber,
  credited: async (tx, payment, units, moment) => {
    const { merchantId, id, invoiceId, paidTicker } = payment
    await expectFiat(tx, { merchantId, id, invoiceId, ticker: paidTicker!, units }, defaultTargetOf, moment)
    return subscriber.credited(tx, payment, units, moment)
  },
  // Held money is converted once it is released, and never if a refund or a chargeback used it.
  released: async (tx, payment, hold, moment) => {
    const { merchantId, invoiceId, paidTicker } = payment
    await expectFiat(
      tx,
      { merchantId, id: hold.id, invoiceId, ticker: paidTicker!, units: hold.units },
      defaultTargetOf,
      moment,
    )
    return subscriber.released(tx, payment, hold, moment)
  },
})
