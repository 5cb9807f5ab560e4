/** Fiat invoices and their payments by card, with the jobs as app/composition composes them. */
import { randomUUID } from 'node:crypto'
import {
  callbackRoutes,
  createCallbackHandler,
  createPaymentJobs,
  createRefundJob,
  createRoutingTable,
  paymentsOf,
  requestRefund,
} from '../../server/src/cards/acquiring/index.ts'
import { createTargetKeeper } from '../../server/src/exchange/conversions/index.ts'
import { createDirectory } from '../../server/src/merchants/accounts/index.ts'
import {
  createFiatExpiryJob,
  createInvoicePaymentSubscriber,
  fiatInvoiceRoutes,
  proceed,
} from '../../server/src/pay-in/fiat-invoices/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import type { PaymentAcquirer } from '../world/acquirer-payments.ts'
import { act } from '../world/ledger.ts'
import { box } from '../world/merchant.ts'
import { callRoute } from '../world/requests.ts'
import { catalogue } from './assets.ts'

/** An acquirer's references of payments by card, which are the payments' ids. */
export interface CardPayments {
  /** the payer is on the acquirer's page: of an open invoice, and of one that has expired */
  onPage: string
  onPageLate: string
  /** credited, and with nothing given back; credited, and with a refund that waits to be sent */
  credited: string
  refunding: string
}

const { signal } = new AbortController()
const publicUrl = 'https://pay.example'

/** The jobs and routes of one process. */
export const openCardPayments = ({ runtime }: { runtime: Runtime }, shop: PaymentAcquirer) => {
  const acquirers = new Map([[shop.name, shop]])
  const table = createRoutingTable([shop])
  const settings = { catalogue, table, publicUrl }
  const subscriber = createInvoicePaymentSubscriber(settings)
  const pause = async (): Promise<void> => {}
  const [give, ask] = createPaymentJobs({ runtime, acquirers, table, subscriber, publicUrl, pause }, 1)
  const [callback] = callbackRoutes({ runtime, acquirers, subscribers: [createCallbackHandler(subscriber)] })
  const routes = fiatInvoiceRoutes({
    runtime,
    settings,
    directory: createDirectory(runtime.db, box),
    newInvoiceId: randomUUID,
    keepTarget: createTargetKeeper(runtime.db, { catalogue, bitcoinChain: 'regtest' }),
  })
  const calledBack = async (reference: string): Promise<void> => {
    const params = { name: shop.name }
    const url = `/acquirers/${shop.name}/callback`
    await callback!.handle({ method: 'POST', url, params, query: {}, requestId: 'r', ...shop.callback(reference) })
  }
  return {
    /** An invoice whose payer is on the acquirer's page. @returns the acquirer's reference */
    send: async (merchantId: string, amount: string): Promise<string> => {
      const body = { name: 'Order 7', amount: { value: amount, ticker: 'UAH' } }
      const id = (await callRoute(routes, 'createFiatInvoice', merchantId, { body })).body.id!
      const choice = { email: 'payer@example.com', language: 'en' } as const
      await act(runtime, (tx, moment) => proceed(tx, id, choice, settings, moment))
      await give!.run(signal)
      const [payment] = await paymentsOf(runtime.db, merchantId, id)
      return payment!.id
    },
    /** The acquirer calls back about payments, and is asked about all that are due. */
    hear: async (...references: string[]): Promise<void> => {
      for (const reference of references) await calledBack(reference)
      await ask!.run(signal)
    },
    /** An operator refunds the rest of a payment. */
    refund: (paymentId: string) =>
      inTransaction(runtime.db, (tx) =>
        requestRefund(
          tx,
          { paymentId, units: undefined, reason: 'asked', actor: 'test' },
          { accounts: [shop] },
          momentOf(runtime),
        ),
      ),
    sendRefunds: async (): Promise<void> => {
      await createRefundJob({ runtime, acquirers, subscriber, pause }, 1).run(signal)
    },
    expire: async (): Promise<void> => {
      await createFiatExpiryJob({ runtime, settings, pause }, 1).run(signal)
    },
  }
}

export const FIAT_ORDER = '14000'
/** Of the payment whose refund waits, and of those that are not paid yet. */
const SMALL_ORDER = '500'

/** Payments of which one is on its page too late. @param later moves the clock past the end of open pages */
export const makeCardPayments = async (
  runtime: Runtime,
  shop: PaymentAcquirer,
  merchantId: string,
  later: () => void,
): Promise<CardPayments> => {
  const cards = openCardPayments({ runtime }, shop)
  const paid = async (amount: string): Promise<string> => {
    const reference = await cards.send(merchantId, amount)
    shop.pays(reference)
    await cards.hear(reference)
    return reference
  }
  const credited = await paid(FIAT_ORDER)
  const refunding = await paid(SMALL_ORDER)
  await cards.refund(refunding)
  const onPageLate = await cards.send(merchantId, SMALL_ORDER)
  later()
  return { credited, refunding, onPageLate, onPage: await cards.send(merchantId, SMALL_ORDER) }
}
