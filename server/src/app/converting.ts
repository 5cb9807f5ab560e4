import type { Catalogue } from '../assets/index.ts'
import {
  createConversionJob, createDepositExpecting, createTargetKeeper, expectFiat, type ConversionDeps,
} from '../conversions/index.ts'
import type { CreditedSubscriber } from '../deposits/index.ts'
import { createPromises, type DeskDeps, type ExchangePolicy } from '../exchange/index.ts'
import type { PaymentListener } from '../acquiring/index.ts'
import { invoicesAt } from '../invoices/index.ts'
import type { Job } from '../jobs/index.ts'
import { defaultTargetOf } from '../merchants/index.ts'
import { createStopsReader } from '../orders/index.ts'
import type { PausePoint, WalletKeys } from '../outgoing/index.ts'
import type { KeepTarget } from '../platform/target.ts'
import type { Runtime } from '../platform/runtime.ts'
import { createLegsReader } from '../rates/index.ts'
import { createTermsReader, type AddressHolders, type Rules } from '../withdrawals/index.ts'

export interface ConvertingWorld {
  runtime: Runtime
  catalogue: Catalogue
  wallet: WalletKeys
  exchange: ExchangePolicy
}

const CONVERSIONS_EVERY_MS = 500

const rulesOf = ({ catalogue, wallet }: ConvertingWorld): Rules => ({ catalogue, bitcoinChain: wallet.bitcoinChain })

/** What exchanges and withdrawals of this installation go by. */
export const exchangingDeps = (world: ConvertingWorld, holders: Pick<AddressHolders, 'whose'>): Omit<ConversionDeps, 'pause'> & { desk: DeskDeps } => {
  const { runtime, catalogue } = world
  const { now } = runtime.clock
  return {
    desk: { runtime, policy: world.exchange, promises: createPromises(runtime), legs: createLegsReader(runtime.db, now), stops: createStopsReader(runtime.db, now) },
    placing: { holders, rules: rulesOf(world) },
    terms: createTermsReader(runtime.db, catalogue, now),
  }
}

export const createConversionJobs = (world: ConvertingWorld, holders: Pick<AddressHolders, 'whose'>, pause: PausePoint): Job[] => [
  createConversionJob({ ...exchangingDeps(world, holders), pause }, CONVERSIONS_EVERY_MS),
]

export const targetKeeper = (world: ConvertingWorld): KeepTarget => createTargetKeeper(world.runtime.db, rulesOf(world))

/** Notes what of credited deposits is to become something else. */
export const depositExpecting = (): CreditedSubscriber => createDepositExpecting({ invoicesAt, defaultTicker: defaultTargetOf })

/** Notes what of credited fiat payments is to become something else, with what else is done about them. */
export const expectingFiat = (listener: PaymentListener): PaymentListener => ({
  ...listener,
  paid: async (tx, payment, moment) => {
    const attribution = await listener.paid(tx, payment, moment)
    if (attribution.kind === 'credit') {
      const { merchantId, id, invoiceId, paidTicker, paidUnits } = payment
      await expectFiat(tx, { merchantId, id, invoiceId, ticker: paidTicker!, units: paidUnits! - attribution.fee }, defaultTargetOf, moment)
    }
    return attribution
  },
})
