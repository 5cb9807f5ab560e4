/**
 * LiqPay: payments on its checkout by a form that the payer's browser posts, payouts to cards by p2pcredit. Guarantees:
 * - only `success` is paid;
 * - a failure without the payment's own number decides nothing;
 * - a refund in LiqPay's queue is not sent again.
 */
import { withoutCards } from '../card-mask.ts'
import { readJsonDecimals, textOf } from '../json-decimals.ts'
import { AcquirerUnreachable, type Acquirer, type AcquirerState, type RefundOrder } from '../port.ts'
import { askAfter, refundAfter, refundSoFar, refusedRefund, refusedUnlessShown } from '../refunds.ts'
import { readLiqPayCallback } from './callback.ts'
import {
  LIQPAY_ELSEWHERE,
  LIQPAY_NO_REFUND,
  LIQPAY_NOT_BELIEVED,
  LIQPAY_NOT_TAKEN_UP,
  LIQPAY_REFUSALS,
} from './refusals.ts'
import { checkoutForm, payoutForm, refundForm, statusForm, type LiqPayForm } from './requests.ts'
import type { LiqPaySettings } from './settings.ts'
import { codeOf, isReservedForRefund, readLiqPayState, type LiqPayReading, type LiqPayRecord } from './state.ts'

export { LIQPAY_SHAPE, readLiqPaySettings, type LiqPaySettings } from './settings.ts'

export const createLiqPay = (settings: LiqPaySettings): Acquirer => {
  const { name, http } = settings
  const url = settings.url.replace(/\/$/, '')
  const reading = (direction: LiqPayReading['direction']): LiqPayReading => ({
    direction,
    isSandbox: settings.publicKey.startsWith('sandbox_'),
  })
  const ask = async (form: LiqPayForm): Promise<LiqPayRecord> => {
    const answer = await http.ask({
      method: 'POST',
      url: `${url}/api/request`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ ...form }).toString(),
    })
    return recordOf(name, answer.body)
  }
  const status = async (reference: string): Promise<LiqPayRecord> => {
    const record = await ask(statusForm(settings, reference))
    if (LIQPAY_NOT_BELIEVED.has(codeOf(record)))
      throw new AcquirerUnreachable(`${name}: it refuses to answer: ${codeOf(record)}`, { sent: true })
    return record
  }
  const read = (record: LiqPayRecord, reference: string, direction: LiqPayReading['direction']): AcquirerState =>
    isAbout(record, reference)
      ? readLiqPayState(record, reading(direction))
      : { kind: 'unknown', reason: withoutCards(codeOf(record)) }
  const stateOf = async (reference: string, direction: LiqPayReading['direction']): Promise<AcquirerState> =>
    read(await status(reference), reference, direction)
  const paymentNow = async ({ reference }: RefundOrder): Promise<{ payment: AcquirerState; isQueued: boolean }> => {
    const record = await status(reference)
    return { payment: read(record, reference, 'payIn'), isQueued: isReservedForRefund(record) }
  }
  const refundState = async (order: RefundOrder, wasQueued = false): Promise<AcquirerState> => {
    const { payment, isQueued } = await paymentNow(order)
    return refundAfter(order, payment, wasQueued || isQueued)
  }
  return {
    name,
    capabilities: { ...settings.capabilities, refund: true, statement: false, takesOtherCards: true },
    refusals: LIQPAY_REFUSALS,
    createPayment: async (order) => ({
      method: 'POST',
      url: `${url}/api/3/checkout`,
      fields: { ...checkoutForm(settings, order) },
      acquirerReference: undefined,
    }),
    readCallback: (callback) => readLiqPayCallback(settings, callback),
    paymentState: (reference) => stateOf(reference, 'payIn'),
    payOut: async (order) => {
      const record = await ask(payoutForm(settings, order))
      if (isAbout(record, order.reference)) return readLiqPayState(record, reading('payout'))
      return answerWithoutPayment(record)
    },
    payoutState: (reference) => stateOf(reference, 'payout'),
    refund: async (order, sending) => {
      const before = await status(order.reference)
      const known = refundSoFar(order, read(before, order.reference, 'payIn'), false)
      if (known !== undefined) return known
      if (isReservedForRefund(before)) return { kind: 'waiting', reason: 'a refund of it is queued' }
      await sending?.()
      const record = await ask(refundForm(settings, order.reference, order.units))
      const code = codeOf(record)
      if (textOf(record, 'result') === 'error' && LIQPAY_NO_REFUND.has(code)) {
        const refusal = refusedRefund(code, withoutCards(textOf(record, 'err_description')))
        return LIQPAY_NOT_BELIEVED.has(code) ? refusal : refusedUnlessShown(order, refusal, () => paymentNow(order))
      }
      return askAfter(() => refundState(order, isReservedForRefund(record)))
    },
    refundState: (order) => refundState(order),
  }
}

const isAbout = (record: LiqPayRecord, reference: string): boolean =>
  textOf(record, 'order_id') === reference && textOf(record, 'payment_id') !== ''

/** State after a payout's answer without a payment: a refusal only if the code proves that none was made. */
const answerWithoutPayment = (record: LiqPayRecord): AcquirerState => {
  const code = codeOf(record)
  const isError = textOf(record, 'result') === 'error' || textOf(record, 'status') === 'error'
  if (!isError || !LIQPAY_NOT_TAKEN_UP.has(code)) return { kind: 'unknown', reason: withoutCards(code) }
  const message = withoutCards(textOf(record, 'err_description'))
  return {
    kind: 'refused',
    acquirerReference: undefined,
    code,
    message,
    maskedCard: undefined,
    ...(LIQPAY_ELSEWHERE.has(code) ? { elsewhere: true } : {}),
  }
}

const recordOf = (name: string, body: Buffer): LiqPayRecord => {
  try {
    return readJsonDecimals(body.toString('utf8'))
  } catch {
    throw new AcquirerUnreachable(`${name}: the answer is no JSON object`, { sent: true })
  }
}
