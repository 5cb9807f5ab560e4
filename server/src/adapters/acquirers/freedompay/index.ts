/**
 * Freedom Pay (PayBox): payments on its page by a link, payouts to cards by p2p2nonreg. Promises: one call at a time, apart by
 * the pause it asks for; both directions are signed with keys of their own; only signed answers decide anything.
 */
import { decimalOf, minorUnitsOf } from '../amount.ts'
import { withoutCards } from '../card-mask.ts'
import { AcquirerRefusal, AcquirerUnreachable, type Acquirer, type AcquirerState } from '../port.ts'
import { refundAfter, refundSoFar, refusedRefund, type MoneyOfPayment } from '../refunds.ts'
import { createPgCaller, type PgAnswer } from './call.ts'
import { readFreedomPayCallback } from './callback.ts'
import { initPayment, payoutTo } from './requests.ts'
import type { FreedomPaySettings } from './settings.ts'
import { createSpacing } from './spacing.ts'
import { codeOf, FREEDOMPAY_ELSEWHERE, FREEDOMPAY_NOT_BEGUN, pgText, readPaymentStatus, readPayout } from './state.ts'

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
      const { fields, isSigned } = await call({ path: '/init_payment.php', fields: initPayment(settings, order, now()), secretKey, isOrder: true })
      const url = pgText(fields, 'pg_redirect_url')
      if (isSigned && pgText(fields, 'pg_status') === 'ok' && URL.canParse(url)) return { method: 'GET', url, fields: {}, acquirerReference: pgText(fields, 'pg_payment_id') }
      // Without a link nobody can pay: an error of Freedom Pay's is a refusal, unless it is its own failure.
      if (isNotBegun(fields) || (isSigned && pgText(fields, 'pg_status') === 'error' && !OWN_FAILURE.has(codeOf(fields)))) throw refusalOf(fields)
      throw new AcquirerUnreachable(`${name}: no link to the page, code ${codeOf(fields)}`, { sent: true })
    },
    readCallback: (callback) => readFreedomPayCallback(settings, callback),
    paymentState: async (reference) => decided(await status(reference), readPaymentStatus),
    payOut: async (order) => {
      if (payoutSecretKey === undefined) return { kind: 'refused', acquirerReference: undefined, code: 'no_payouts', message: 'this shop has no key for payouts', maskedCard: undefined, elsewhere: true }
      const { fields, isSigned } = await call({ path: '/g2g/p2p2nonreg', fields: payoutTo(order), secretKey: payoutSecretKey, isOrder: true })
      if (isNotBegun(fields)) return notBegun(fields)
      if (!isSigned) return { kind: 'unknown', reason: 'an unsigned answer' }
      // `ok` may say no more than that the payout was taken up, and an error may be about a repeated order: the status says.
      return pgText(fields, 'pg_status') === 'error' ? { kind: 'unknown', reason: `code ${codeOf(fields)}` } : { kind: 'waiting', reason: pgText(fields, 'pg_status') }
    },
    payoutState: async (reference) => {
      if (payoutSecretKey === undefined) return { kind: 'unknown', reason: 'this shop has no key for payouts' }
      return decided(await lookUp('/g2g/payout_status2', reference, payoutSecretKey), (fields) =>
        pgText(fields, 'pg_status') === 'ok' ? readPayout(fields, pgText(fields, 'pg_payment_status')) : { kind: 'unknown', reason: `code ${codeOf(fields)}` })
    },
    refund: async (order) => {
      const before = moneyOf(await status(order.reference))
      if (before === undefined) return refusedRefund('not_paid', 'only a payment that succeeded is given back')
      const known = refundSoFar(order, before)
      if (known !== undefined) return known
      const asked = { pg_payment_id: before.acquirerReference, pg_refund_amount: decimalOf(order.units), pg_idempotency_key: order.refundReference }
      const { fields, isSigned } = await call({ path: '/revoke.php', fields: asked, secretKey, isOrder: true })
      if (isSigned && NO_REFUND.has(codeOf(fields))) return refusedRefund(codeOf(fields), withoutCards(pgText(fields, 'pg_error_description')))
      return refundAfter(order, moneyOf(await status(order.reference)))
    },
  }
}

const OWN_FAILURE: ReadonlySet<string> = new Set(['600', '1000', '9999', 'unspecified'])

/** Cannot be cancelled, and what a call as such is refused with. */
const NO_REFUND: ReadonlySet<string> = new Set([...FREEDOMPAY_NOT_BEGUN, '490'])

/** Errors that say nothing of any payment: our key, our shop, our contract. */
const requireBelieved = (name: string, { fields }: PgAnswer): void => {
  if (pgText(fields, 'pg_status') === 'error' && NOT_BELIEVED.has(codeOf(fields))) throw new AcquirerUnreachable(`${name}: it refuses to answer: ${codeOf(fields)}`, { sent: true })
}

const NOT_BELIEVED: ReadonlySet<string> = new Set(['100', '101', '110', '9996', '9997', '9998'])

const decided = ({ fields, isSigned }: PgAnswer, read: (fields: PgAnswer['fields']) => AcquirerState): AcquirerState =>
  isSigned ? read(fields) : { kind: 'unknown', reason: `an unsigned answer, code ${codeOf(fields)}` }

/** Also unsigned: a merchant or a signature that Freedom Pay doesn't know gets no signed answer. */
const isNotBegun = (fields: PgAnswer['fields']): boolean => pgText(fields, 'pg_status') === 'error' && FREEDOMPAY_NOT_BEGUN.has(codeOf(fields))

const notBegun = (fields: PgAnswer['fields']): AcquirerState => {
  const code = codeOf(fields)
  const message = withoutCards(pgText(fields, 'pg_error_description'))
  return { kind: 'refused', acquirerReference: undefined, code, message, maskedCard: undefined, ...(FREEDOMPAY_ELSEWHERE.has(code) ? { elsewhere: true } : {}) }
}

/** pg_refund_amount is what went back altogether, written negative. */
const moneyOf = (answer: PgAnswer): MoneyOfPayment | undefined => {
  const state = decided(answer, readPaymentStatus)
  if (state.kind !== 'succeeded' && state.kind !== 'reversed') return undefined
  const { acquirerReference, units, maskedCard } = state
  const told = minorUnitsOf(pgText(answer.fields, 'pg_refund_amount').replace(/^-/, '')) ?? 0n
  return { acquirerReference, paidUnits: units, backUnits: state.kind === 'reversed' ? units : told, maskedCard }
}

const refusalOf = (fields: PgAnswer['fields']): AcquirerRefusal => new AcquirerRefusal(codeOf(fields), withoutCards(pgText(fields, 'pg_error_description')))
