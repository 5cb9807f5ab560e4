/**
 * Freedom Pay (PayBox): payments on its page by a link, payouts to cards by p2p2nonreg. Guarantees:
 * - one call runs at a time, with the pause that Freedom Pay asks for;
 * - payments and payouts are each signed with their own key;
 * - only signed answers decide anything.
 */
import { decimalOf } from '../amount.ts'
import { AcquirerUnreachable, type Acquirer, type AcquirerState, type RefundOrder } from '../port.ts'
import { askAfter, refundAfter, refundSoFar } from '../refunds.ts'
import {
  afterRefundError,
  decided,
  failedRefunds,
  isRefundUnderWay,
  noPage,
  readPayoutAnswer,
  readRefundRefusal,
  requireBelieved,
} from './answers.ts'
import { createFreedomPayCaller, type FreedomPayAnswer } from './call.ts'
import { readFreedomPayCallback } from './callback.ts'
import { initPayment, payoutTo } from './requests.ts'
import type { FreedomPaySettings } from './settings.ts'
import { createSpacing } from './spacing.ts'
import { FREEDOMPAY_REFUSALS, pgText, readPaymentStatusOf, readPayoutStatus } from './state.ts'

export { FREEDOMPAY_SHAPE, readFreedomPaySettings, type FreedomPaySettings } from './settings.ts'

export const createFreedomPay = (settings: FreedomPaySettings): Acquirer => {
  const { name, http, secretKey, payoutSecretKey, spacingMs, now = Date.now } = settings
  const full = () => new AcquirerUnreachable(`${name}: too many calls wait for their turn`, { sent: false })
  const call = createFreedomPayCaller({
    name,
    url: settings.url.replace(/\/$/, ''),
    merchantId: settings.merchantId,
    http,
    spacing: createSpacing({ ms: spacingMs, onFull: full }),
  })
  // Queries in the queue by request: a repeated query gets the same answer.
  const asking = new Map<string, Promise<FreedomPayAnswer>>()
  const lookUp = async (
    path: string,
    fields: Readonly<Record<string, string>>,
    key: string,
  ): Promise<FreedomPayAnswer> => {
    const question = JSON.stringify([path, fields])
    const answer =
      asking.get(question) ??
      call({ path, fields, secretKey: key, isOrder: false }).finally(() => asking.delete(question))
    asking.set(question, answer)
    requireBelieved(name, await answer)
    return answer
  }
  /**
   * A query by order returns its newest payment, which after a refund is the refund. Query by the payment's own number
   * where it is known.
   */
  const status = (reference: string, paymentId: string | undefined): Promise<FreedomPayAnswer> =>
    lookUp(
      '/get_status3.php',
      paymentId === undefined ? { pg_order_id: reference } : { pg_payment_id: paymentId },
      secretKey,
    )
  const read = (answer: FreedomPayAnswer, reference: string, paymentId: string | undefined): AcquirerState =>
    decided(answer, readPaymentStatusOf({ reference, paymentId }))
  /** A pending refund is listed with the payment, or appears only as the newest payment of the order. */
  const isUnderWay = async (
    { reference, acquirerReference }: RefundOrder,
    answer: FreedomPayAnswer,
  ): Promise<boolean> =>
    isRefundUnderWay(answer) ||
    (acquirerReference !== undefined && isRefundUnderWay(await status(reference, undefined)))
  const refundState = async (order: RefundOrder): Promise<AcquirerState> => {
    const answer = await status(order.reference, order.acquirerReference)
    const payment = read(answer, order.reference, order.acquirerReference)
    const shown = refundAfter(order, payment)
    if (shown.kind !== 'unknown') return shown
    const asked = refundAfter(order, payment, await isUnderWay(order, answer))
    // A failed refund need not be this one: an operator has to check.
    const failed = failedRefunds(answer)
    return asked.kind === 'unknown' && failed > 0
      ? { ...asked, reason: `${asked.reason}; ${failed} refunds of the payment are listed as failed` }
      : asked
  }
  return {
    name,
    capabilities: { ...settings.capabilities, refund: true, statement: false, takesOtherCards: true },
    refusals: FREEDOMPAY_REFUSALS,
    createPayment: async (order) => {
      const answer = await call({
        path: '/init_payment.php',
        fields: initPayment(settings, order, now()),
        secretKey,
        isOrder: true,
      })
      const [url, acquirerReference] = [
        pgText(answer.fields, 'pg_redirect_url'),
        pgText(answer.fields, 'pg_payment_id'),
      ]
      if (!answer.isSigned || pgText(answer.fields, 'pg_status') !== 'ok' || !URL.canParse(url))
        throw noPage(name, answer)
      return { method: 'GET', url, fields: {}, acquirerReference }
    },
    readCallback: (callback) => readFreedomPayCallback(settings, callback),
    paymentState: async (reference, paymentId) => {
      const state = read(await status(reference, paymentId), reference, paymentId)
      if (state.kind !== 'refused' || paymentId === undefined) return state
      // An order may have several payments, each with its own number: after the known one was refused, another card may
      // have paid.
      return read(await status(reference, undefined), reference, undefined)
    },
    payOut: async (order) => {
      if (payoutSecretKey === undefined) return NO_PAYOUTS
      return readPayoutAnswer(
        await call({ path: '/g2g/p2p2nonreg', fields: payoutTo(order), secretKey: payoutSecretKey, isOrder: true }),
      )
    },
    payoutState: async (reference) => {
      if (payoutSecretKey === undefined) return { kind: 'unknown', reason: NO_PAYOUTS.message }
      return decided(
        await lookUp('/g2g/payout_status2', { pg_order_id: reference }, payoutSecretKey),
        readPayoutStatus(reference),
      )
    },
    refund: async (order, sending) => {
      const answer = await status(order.reference, order.acquirerReference)
      const before = read(answer, order.reference, order.acquirerReference)
      const known = refundSoFar(order, before, false)
      if (known !== undefined) return known
      if (!('units' in before) || (await isUnderWay(order, answer)))
        return { kind: 'waiting', reason: 'a refund of it is under way' }
      await sending?.()
      const asked = {
        pg_payment_id: before.acquirerReference,
        pg_refund_amount: decimalOf(order.units),
        pg_idempotency_key: order.requestKey ?? order.refundReference,
      }
      const said = await call({ path: '/revoke.php', fields: asked, secretKey, isOrder: true })
      return (
        readRefundRefusal(said) ??
        afterRefundError(
          said,
          await askAfter(() => refundState({ ...order, acquirerReference: before.acquirerReference })),
        )
      )
    },
    refundState,
  }
}

const NO_PAYOUTS = {
  kind: 'refused',
  acquirerReference: undefined,
  code: 'no_payouts',
  message: 'this shop has no key for payouts',
  maskedCard: undefined,
  elsewhere: true,
} as const
