/**
 * Freedom Pay (PayBox): payments on its page by a link, payouts to cards by p2p2nonreg. Promises: one call at a time, apart by
 * the pause it asks for; both directions are signed with keys of their own; only signed answers decide anything.
 */
import { decimalOf } from '../amount.ts'
import { AcquirerUnreachable, type Acquirer } from '../port.ts'
import { refundAfter, refundSoFar, refusedRefund } from '../refunds.ts'
import { decided, moneyOf, noPage, readPayoutAnswer, readRefundRefusal, requireBelieved } from './answers.ts'
import { createPgCaller, type PgAnswer } from './call.ts'
import { readFreedomPayCallback } from './callback.ts'
import { initPayment, payoutTo } from './requests.ts'
import type { FreedomPaySettings } from './settings.ts'
import { createSpacing } from './spacing.ts'
import { pgText, readPaymentStatus, readPayoutStatus } from './state.ts'

export { readFreedomPaySettings, type FreedomPaySettings } from './settings.ts'

export const createFreedomPay = (settings: FreedomPaySettings): Acquirer => {
  const { name, http, secretKey, payoutSecretKey, spacingMs, now = Date.now } = settings
  const full = () => new AcquirerUnreachable(`${name}: too many calls wait for their turn`, { sent: false })
  const call = createPgCaller({
    name, url: settings.url.replace(/\/$/, ''), merchantId: settings.merchantId, http, spacing: createSpacing({ ms: spacingMs, onFull: full }),
  })
  // Whoever asks again while the question still waits for its turn gets the same answer.
  const asking = new Map<string, Promise<PgAnswer>>()
  const lookUp = async (path: string, reference: string, key: string): Promise<PgAnswer> => {
    const question = `${path} ${reference}`
    const answer = asking.get(question) ?? call({ path, fields: { pg_order_id: reference }, secretKey: key, isOrder: false }).finally(() => asking.delete(question))
    asking.set(question, answer)
    requireBelieved(name, await answer)
    return answer
  }
  const status = (reference: string): Promise<PgAnswer> => lookUp('/get_status3.php', reference, secretKey)
  return {
    name,
    capabilities: { ...settings.capabilities, refund: true, statement: false },
    createPayment: async (order) => {
      const answer = await call({ path: '/init_payment.php', fields: initPayment(settings, order, now()), secretKey, isOrder: true })
      const [url, acquirerReference] = [pgText(answer.fields, 'pg_redirect_url'), pgText(answer.fields, 'pg_payment_id')]
      if (!answer.isSigned || pgText(answer.fields, 'pg_status') !== 'ok' || !URL.canParse(url)) throw noPage(name, answer)
      return { method: 'GET', url, fields: {}, acquirerReference }
    },
    readCallback: (callback) => readFreedomPayCallback(settings, callback),
    paymentState: async (reference) => decided(await status(reference), readPaymentStatus),
    payOut: async (order) => {
      if (payoutSecretKey === undefined) return NO_PAYOUTS
      return readPayoutAnswer(await call({ path: '/g2g/p2p2nonreg', fields: payoutTo(order), secretKey: payoutSecretKey, isOrder: true }))
    },
    payoutState: async (reference) => {
      if (payoutSecretKey === undefined) return { kind: 'unknown', reason: NO_PAYOUTS.message }
      return decided(await lookUp('/g2g/payout_status2', reference, payoutSecretKey), readPayoutStatus)
    },
    refund: async (order) => {
      const before = moneyOf(await status(order.reference))
      if (before === undefined) return refusedRefund('not_paid', 'only a payment that succeeded is given back')
      const known = refundSoFar(order, before)
      if (known !== undefined) return known
      const asked = { pg_payment_id: before.acquirerReference, pg_refund_amount: decimalOf(order.units), pg_idempotency_key: order.refundReference }
      const refused = readRefundRefusal(await call({ path: '/revoke.php', fields: asked, secretKey, isOrder: true }))
      return refused ?? refundAfter(order, moneyOf(await status(order.reference)))
    },
  }
}

const NO_PAYOUTS = {
  kind: 'refused', acquirerReference: undefined, code: 'no_payouts', message: 'this shop has no key for payouts', maskedCard: undefined, elsewhere: true,
} as const
