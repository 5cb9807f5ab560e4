import Type, { type Static } from 'typebox'
import { readSecret, safeUrl, secretFile, text } from '../../../platform/config/fields.ts'
import { withRule } from '../../../platform/config/shape.ts'
import { accountMembers, accountOf, CARD_TICKERS, offersSomething, type Limits } from '../account.ts'
import { decimalOf } from '../amount.ts'
import type { AcquirerHttp, HttpAnswer } from '../http.ts'
import {
  AcquirerRefusal,
  AcquirerUnreachable,
  ForgedCallback,
  type Acquirer,
  type AcquirerState,
  type Callback,
  type RawCallback,
  type RefundOrder,
  type StatementLine,
} from '../port.ts'
import { BANK_REFUSALS, isFields, lineOf, objectOf, refundStateOf, refusalOf, stateOf } from './answers.ts'
import { isSignedCallback, requestSignature } from './signature.ts'

/** An account of kind `bank`, as `BURSAR_ACQUIRERS_FILE` has it. */
export interface BankSettings {
  name: string
  /** http or https; `/api/v1` is below it */
  url: string
  /** the account's name with the bank */
  account: string
  secret: string
  /** limits agreed with the bank */
  capabilities: Limits
  http: AcquirerHttp
  /** ms, for the timestamp in signed requests */
  now?: () => number
}

const NONE: Limits = { payIn: {}, payout: {} }

export const BANK_SHAPE = withRule(
  Type.Object({
    kind: Type.Literal('bank', { description: "the sandbox's bank, which moves no money" }),
    ...accountMembers(CARD_TICKERS, NONE),
    url: safeUrl('where it is; `/api/v1` is below it'),
    account: text("the account's name with the bank"),
    secretFile: secretFile('the file of the secret that requests are signed with'),
  }),
  offersSomething(NONE),
)

export const readBankSettings = (given: Static<typeof BANK_SHAPE>): BankSettings => ({
  ...accountOf(given, NONE),
  url: given.url,
  account: given.account,
  secret: readSecret(given.secretFile),
})

/** Error code for an order whose reference exists already: its state must be queried. */
const DUPLICATE = 'duplicate_reference'
/** Refusals caused by our account: another acquirer may still accept the order. */
const OURS: readonly string[] = ['bad_signature', 'bad_timestamp', 'amount_out_of_limits', 'account_balance']
const MOST_PAGES = 10_000

/** An account with the sandbox's bank, whose API is documented in sandbox/bank/README.md. */
export const createBank = (settings: BankSettings): Acquirer => {
  const { name } = settings
  const ask = createAsk(settings)
  const unusable = (answer?: HttpAnswer): AcquirerUnreachable => {
    const refusal = answer && answer.status >= 400 ? refusalOf(answer.body) : undefined
    return new AcquirerUnreachable(
      `${name}: ${refusal ? `it refuses to answer: ${refusal.code}` : "an answer that is not the bank's"}`,
      { sent: true },
    )
  }
  /** Sends an order and returns the accepted one. Throws AcquirerRefusal when the bank refuses it. */
  const order = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await ask('POST', path, JSON.stringify(body))
    const made = answer.status < 300 ? objectOf(answer.body) : undefined
    if (made) return made
    const refusal = answer.status >= 400 ? refusalOf(answer.body) : undefined
    throw refusal ? new AcquirerRefusal(refusal.code, `${name}: ${refusal.message}`) : unusable()
  }
  const stateAt = async (path: string, paid: 'paidAmount' | 'sentAmount'): Promise<AcquirerState> => {
    const answer = await ask('GET', path, '')
    if (answer.status === 404 && refusalOf(answer.body)?.code === 'not_found')
      return { kind: 'unknown', reason: 'not known there' }
    const found = answer.status === 200 ? objectOf(answer.body) : undefined
    const state = found && stateOf(found, paid)
    if (!state) throw unusable(answer)
    return state
  }
  const refundsOf = ({ reference }: RefundOrder): string => `/payments/${encodeURIComponent(reference)}/refunds`
  /** Finds a refund by its own reference; undefined when the bank does not know it. */
  const refundAt = async (refund: RefundOrder): Promise<AcquirerState | undefined> => {
    const answer = await ask('GET', `${refundsOf(refund)}/${encodeURIComponent(refund.refundReference)}`, '')
    if (answer.status === 404 && refusalOf(answer.body)?.code === 'not_found') return undefined
    const found = answer.status === 200 ? objectOf(answer.body) : undefined
    const state = found && refundStateOf(found)
    if (!state) throw unusable(answer)
    return state
  }

  return {
    name,
    capabilities: { ...settings.capabilities, refund: true, namesRefunds: true, statement: true },
    refusals: BANK_REFUSALS,
    createPayment: async ({ ticker, units, ...payment }) => {
      const made = await order('/payments', { ...payment, currency: ticker, amount: decimalOf(units) })
      const { pageUrl: url, id } = made
      if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw unusable()
      return { method: 'GET', url, fields: {}, acquirerReference: typeof id === 'string' ? id : undefined }
    },
    readCallback: (callback) => readCallback(settings, callback),
    paymentState: (reference) => stateAt(`/payments/${encodeURIComponent(reference)}`, 'paidAmount'),
    payOut: async ({ ticker, units, ...payout }) => {
      try {
        return (
          stateOf(await order('/payouts', { ...payout, currency: ticker, amount: decimalOf(units) }), 'sentAmount') ?? {
            kind: 'unknown',
          }
        )
      } catch (error) {
        return asState(error)
      }
    },
    payoutState: (reference) => stateAt(`/payouts/${encodeURIComponent(reference)}`, 'sentAmount'),
    refund: async (refund, sending) => {
      const known = await refundAt(refund)
      if (known !== undefined) return known
      await sending?.()
      try {
        return (
          refundStateOf(
            await order(refundsOf(refund), { reference: refund.refundReference, amount: decimalOf(refund.units) }),
          ) ?? { kind: 'unknown' }
        )
      } catch (error) {
        return asState(error)
      }
    },
    refundState: async (refund) => (await refundAt(refund)) ?? { kind: 'unknown', reason: 'not known there' },
    statement: async ({ from, to }) => {
      const lines: StatementLine[] = []
      let after = ''
      for (let pages = 0; pages < MOST_PAGES; pages += 1) {
        const answer = await ask('GET', `/statement?from=${from}&to=${to}${after}`, '')
        const page = answer.status === 200 ? objectOf(answer.body) : undefined
        const given = page?.['lines']
        if (!page || !Array.isArray(given)) throw unusable(answer)
        for (const one of given) lines.push(lineOf(one) ?? raise(unusable()))
        if (typeof page['next'] !== 'string') return lines
        after = `&after=${encodeURIComponent(page['next'])}`
      }
      throw unusable()
    },
  }
}

/** Converts a refusal to the state of its payout or refund. */
const asState = (error: unknown): AcquirerState => {
  if (!(error instanceof AcquirerRefusal)) throw error
  if (error.code === DUPLICATE) return { kind: 'unknown', reason: 'the reference is taken' }
  return {
    kind: 'refused',
    acquirerReference: undefined,
    code: error.code,
    message: error.message,
    maskedCard: undefined,
    elsewhere: OURS.includes(error.code),
  }
}

const raise = (error: Error): never => {
  throw error
}

const createAsk = ({ url, account, secret, http, now = Date.now }: BankSettings) => {
  const base = `${url.replace(/\/$/, '')}/api/v1`
  return (method: 'GET' | 'POST', path: string, body: string): Promise<HttpAnswer> => {
    const { pathname, search } = new URL(base + path)
    const timestamp = String(now())
    const headers = {
      accept: 'application/json',
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      'x-bank-account': account,
      'x-bank-timestamp': timestamp,
      'x-bank-signature': requestSignature(secret, { timestamp, method, target: pathname + search, body }),
    }
    return http.ask({ method, url: base + path, headers, body })
  }
}

const readCallback = ({ account, secret }: BankSettings, { headers, body }: RawCallback): Callback => {
  const [timestamp = '', signature = ''] = [headers['x-bank-timestamp'], headers['x-bank-signature']]
  if (headers['x-bank-account'] !== account || !isSignedCallback(secret, { timestamp, body, signature })) {
    throw new ForgedCallback('the callback is not signed by the bank')
  }
  const { event, object, id } = objectOf(body) ?? {}
  const paid = typeof event === 'string' && event.startsWith('payout.') ? 'sentAmount' : 'paidAmount'
  const state = isFields(object) ? stateOf(object, paid) : undefined
  if (!isFields(object) || !state || typeof object['reference'] !== 'string')
    throw new ForgedCallback('the callback says nothing')
  return {
    reference: object['reference'],
    state,
    ack: { status: 200, contentType: 'application/json', body: JSON.stringify({ received: id }) },
  }
}
