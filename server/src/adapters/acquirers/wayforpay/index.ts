/**
 * WayForPay: payments on its page by a posted form or an invoice's link, payouts to cards by P2P_CREDIT. Guarantees:
 * - an answer counts only if it is signed and concerns the requested order;
 * - codes that are not final do not end an order;
 * - the outcome of a refund in processing is awaited.
 */
import { withoutCards } from '../card-mask.ts'
import { textOf } from '../json-decimals.ts'
import {
  AcquirerRefusal,
  AcquirerUnreachable,
  type Acquirer,
  type AcquirerState,
  type PaymentOrder,
  type PaymentPage,
} from '../port.ts'
import { askAfter, refundAfter, refundSoFar, refusedRefund, refusedUnlessShown } from '../refunds.ts'
import { readWayForPayCallback } from './callback.ts'
import { isSigned, readWayForPayBody, type WayForPayRecord } from './record.ts'
import { invoiceRequest, payoutRequest, purchaseForm, refundRequest, statusRequest } from './requests.ts'
import type { WayForPaySettings } from './settings.ts'
import {
  readWayForPayState,
  WAYFORPAY_ELSEWHERE,
  WAYFORPAY_NOT_BELIEVED,
  WAYFORPAY_NOT_TAKEN_UP,
  WAYFORPAY_REFUSALS,
} from './state.ts'

export { WAYFORPAY_SHAPE, readWayForPaySettings, type WayForPaySettings } from './settings.ts'

export const createWayForPay = (settings: WayForPaySettings): Acquirer => {
  const { name, http, now = Date.now } = settings
  const apiUrl = `${settings.apiUrl.replace(/\/$/, '')}/api`
  const payUrl = `${settings.payUrl.replace(/\/$/, '')}/pay`
  const ask = async (body: string): Promise<WayForPayRecord> =>
    recordOf(
      name,
      (
        await http.ask({
          method: 'POST',
          url: apiUrl,
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body,
        })
      ).body,
    )
  const stateOf = async (reference: string): Promise<AcquirerState> => {
    const record = await ask(statusRequest(settings, reference))
    const code = textOf(record, 'reasonCode')
    if (WAYFORPAY_NOT_BELIEVED.has(code))
      throw new AcquirerUnreachable(`${name}: it refuses to answer: ${code}`, { sent: true })
    return clearState(settings, record, reference)
  }
  const invoice = async (order: PaymentOrder): Promise<PaymentPage> => {
    const record = await ask(invoiceRequest(settings, order, now()))
    const url = textOf(record, 'invoiceUrl')
    // Without a link no payer can pay: any other code is a refusal.
    if (/^\d{4}$/.test(textOf(record, 'reasonCode')) && textOf(record, 'reasonCode') !== '1100') throw refusalOf(record)
    if (textOf(record, 'reasonCode') !== '1100' || !URL.canParse(url))
      throw new AcquirerUnreachable(`${name}: no link to the invoice`, { sent: true })
    return { method: 'GET', url, fields: {}, acquirerReference: order.reference }
  }
  return {
    name,
    capabilities: {
      ...settings.capabilities,
      refund: true,
      refundsWholeOnly: true,
      statement: false,
      takesOtherCards: true,
    },
    refusals: WAYFORPAY_REFUSALS,
    createPayment: async (order) =>
      settings.page === 'invoice'
        ? invoice(order)
        : {
            method: 'POST',
            url: payUrl,
            fields: purchaseForm(settings, order, now()),
            acquirerReference: order.reference,
          },
    readCallback: (callback) => readWayForPayCallback(settings, callback, now()),
    paymentState: stateOf,
    payOut: async (order) => {
      const record = await ask(payoutRequest(settings, order))
      const code = textOf(record, 'reasonCode')
      if (textOf(record, 'merchantSignature') === '' && WAYFORPAY_NOT_TAKEN_UP.has(code))
        return notTakenUp(record, code)
      return clearState(settings, record, order.reference)
    },
    payoutState: stateOf,
    refund: async (order, sending) => {
      const before = await stateOf(order.reference)
      const known = refundSoFar(order, before, false)
      if (known !== undefined) return known
      if (!('units' in before) || order.units !== before.units)
        return refusedRefund('part_refund', 'the amount given back is not stated, so only the whole is refunded')
      await sending?.()
      const record = await ask(refundRequest(settings, order.reference, order.units, order.ticker))
      const code = textOf(record, 'reasonCode')
      if (NO_REFUND.has(code) && !/^(refund|void)/i.test(textOf(record, 'transactionStatus'))) {
        const refusal = refusedRefund(code, withoutCards(textOf(record, 'reason')))
        return WAYFORPAY_NOT_BELIEVED.has(code)
          ? refusal
          : refusedUnlessShown(order, refusal, async () => ({
              payment: await stateOf(order.reference),
              isQueued: false,
            }))
      }
      return askAfter(async () => refundAfter(order, await stateOf(order.reference)))
    },
    // A refund waits while the shop's balance is too small: `RefundInProcessing`, code 1138
    // (wiki.wayforpay.com/en/view/852131).
    refundState: async (order) => refundAfter(order, await stateOf(order.reference)),
  }
}

/**
 * Codes: refund not allowed, illegal order state, order not found, refund limit, and refusals of the request itself.
 * Not 1136 (shop's balance too small): WayForPay then keeps the refund in processing, and the payment's status shows
 * its outcome.
 */
const NO_REFUND: ReadonlySet<string> = new Set(
  [...WAYFORPAY_NOT_TAKEN_UP, '1123', '1126', '1127', '1128', '1141'].filter((code) => code !== '1136'),
)

/**
 * State by an answer, which counts only if it is signed and names our account and this order. Errors about the request
 * are unsigned.
 */
const clearState = (settings: WayForPaySettings, record: WayForPayRecord, reference: string): AcquirerState => {
  const code = textOf(record, 'reasonCode')
  const isOurs =
    textOf(record, 'orderReference') === reference && textOf(record, 'merchantAccount') === settings.merchantAccount
  const isBelieved = isOurs && isSigned(settings.secretKey, record, ['payment', 'payout'])
  if (!isBelieved) {
    const hasOtherKey = isOurs && textOf(record, 'merchantSignature') !== ''
    const how = hasOtherKey ? 'an answer signed with another key' : 'an unsigned answer'
    const reason = withoutCards(`${how}, code ${code || 'absent'}`)
    return { kind: 'unknown', reason, ...(hasOtherKey ? { otherKey: true } : {}) }
  }
  // Duplicate, order not found: these concern the request, for any status.
  if (code === '1112' || code === '1127') return { kind: 'unknown', reason: `code ${code}` }
  return readWayForPayState(record)
}

const notTakenUp = (record: WayForPayRecord, code: string): AcquirerState => ({
  kind: 'refused',
  acquirerReference: undefined,
  code,
  message: withoutCards(textOf(record, 'reason')),
  maskedCard: undefined,
  ...(WAYFORPAY_ELSEWHERE.has(code) ? { elsewhere: true } : {}),
})

const refusalOf = (record: WayForPayRecord): AcquirerRefusal =>
  new AcquirerRefusal(withoutCards(textOf(record, 'reasonCode')), withoutCards(textOf(record, 'reason')))

const recordOf = (name: string, body: Buffer): WayForPayRecord => {
  try {
    return readWayForPayBody(body)
  } catch {
    throw new AcquirerUnreachable(`${name}: the answer is no JSON object`, { sent: true })
  }
}
