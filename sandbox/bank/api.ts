/** The bank's API for merchants, described in README.md. Every request is signed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnswerScript } from '../acquirers/faults.ts'
import { Answer, NoAnswer, TextAnswer } from '../http/server.ts'
import type { Route, SandboxRequest } from '../http/server.ts'
import { BankRefusal } from './context.ts'
import type { Context } from './context.ts'
import { readPaymentOrder, readPayoutOrder, readRefundOrder } from './orders.ts'
import { currentPayment, orderPayment, refundPayment } from './payments.ts'
import { orderPayout } from './payouts.ts'
import { isSame, requestWindowMs, signRequest } from './signature.ts'
import { statementPage } from './statement.ts'
import { refundView, viewOf } from './view.ts'

export function apiRoutes(context: Context): Route[] {
  const answer = (
    method: string,
    path: string,
    handle: (account: string, request: SandboxRequest) => Answer,
  ): Route => ({
    method,
    path: new RegExp(`^/api/v1${path}$`),
    name: `${method} /api/v1${path.replaceAll('([^/]+)', '<reference>')}`,
    handle: async (request) => respond(context, request, method, handle),
  })
  return [
    answer(
      'POST',
      '/payments',
      (account, request) =>
        new Answer(
          201,
          viewOf(orderPayment(context, { account, ...readPaymentOrder(request.rawBody) }), context.url()),
        ),
    ),
    answer(
      'GET',
      '/payments/([^/]+)',
      (account, request) => new Answer(200, viewOf(paymentOf(context, account, request), context.url())),
    ),
    answer('POST', '/payments/([^/]+)/refunds', (account, request) => {
      const payment = paymentOf(context, account, request)
      return new Answer(
        201,
        refundView(refundPayment(context, payment, readRefundOrder(request.rawBody)), payment.currency),
      )
    }),
    answer('GET', '/payments/([^/]+)/refunds/([^/]+)', (account, request) => {
      const payment = paymentOf(context, account, request)
      const refund = context.book.find('refund', account, request.parameters[1] ?? '')
      if (refund?.payment !== payment.id) throw new BankRefusal(404, 'not_found', 'there is no such refund')
      return new Answer(200, refundView(refund, payment.currency))
    }),
    answer(
      'POST',
      '/payouts',
      (account, request) =>
        new Answer(201, viewOf(orderPayout(context, { account, ...readPayoutOrder(request.rawBody) }), context.url())),
    ),
    answer('GET', '/payouts/([^/]+)', (account, request) => {
      const payout = context.book.find('payout', account, request.parameters[0] ?? '')
      if (payout === undefined) throw new BankRefusal(404, 'not_found', 'there is no such payout')
      return new Answer(200, viewOf(payout, context.url()))
    }),
    answer('GET', '/statement', (account, request) => new Answer(200, statementPage(context, account, request.query))),
  ]
}

function paymentOf(context: Context, account: string, { parameters }: SandboxRequest) {
  const payment = context.book.find('payment', account, parameters[0] ?? '')
  if (payment === undefined) throw new BankRefusal(404, 'not_found', 'there is no such payment')
  return currentPayment(context, payment)
}

type Handle = (account: string, request: SandboxRequest) => Answer

async function respond(
  context: Context,
  request: SandboxRequest,
  method: string,
  handle: Handle,
): Promise<Answer | TextAnswer | NoAnswer> {
  try {
    const account = accountOf(context, request, method)
    const { fault, delayMs, code }: AnswerScript =
      method === 'POST' ? context.faults.takeAnswer(account) : { delayMs: 0 }
    if (fault === 'unavailable') throw new BankRefusal(503, 'unavailable', 'not now')
    const answer = handle(account, request)
    await sleep(delayMs)
    if (fault === 'cut' || fault === 'held') return new NoAnswer(fault)
    if (code !== undefined) return new Answer(422, { error: { code, message: 'error' } })
    if (fault === 'error') return new Answer(500, { error: { code: 'internal', message: 'something went wrong' } })
    if (fault === 'garbage') return new TextAnswer(200, { 'content-type': 'text/html' }, '<h1>Maintenance</h1>')
    if (fault === 'empty' || fault === 'half') {
      const body = JSON.stringify(answer.body) ?? ''
      return new TextAnswer(
        200,
        { 'content-type': 'application/json' },
        fault === 'empty' ? '' : body.slice(0, Math.floor(body.length / 2)),
      )
    }
    return answer
  } catch (error) {
    if (!(error instanceof BankRefusal)) throw error
    return new Answer(error.status, { error: { code: error.code, message: error.message } })
  }
}

/** Anyone who signed the request. The time is the real clock's: the bank's own may be moved. */
function accountOf(context: Context, { headers, target, rawBody: body }: SandboxRequest, method: string): string {
  const [name, timestamp] = [headers['x-bank-account'], headers['x-bank-timestamp']].map(String) as [string, string]
  const account = context.accounts.find((one) => one.name === name)
  const right = account === undefined ? '' : signRequest(account.secret, { timestamp, method, target, body })
  if (account === undefined || !isSame(String(headers['x-bank-signature']), right))
    throw new BankRefusal(401, 'bad_signature', "the signature is not the account's")
  if (!(Math.abs(Number(timestamp) - Date.now()) <= requestWindowMs))
    throw new BankRefusal(401, 'bad_timestamp', 'the request is too old or too new')
  return name
}
