import { inField, pointed } from '@bursar/checkout/amounts'
import { foreign, html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { balancesOf } from '../../ledger/postings/index.ts'
import { approvalsFor, openRefundOf, PayoutProblem } from '../../pay-out/requests/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { hidden, draftOf, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { lostPage, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { askForCard, cardTrouble, refundablePayment } from './commands.ts'
import { pathOfRequest, type RefundPagesDeps } from './deps.ts'
import { amountPiece, problemsPiece, textsOf, type Problem } from './pieces.ts'

const LONGEST_REASON = 300
const UNITS = /^\d{1,78}$/
const [AMOUNT, REASON] = ['refund-amount', 'refund-reason']

/** The form that asks for a refund of a card payment. */
export const cardPage =
  (deps: RefundPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { [AMOUNT]: amount, [REASON]: reason } = draftOf(deps, scope.visit.session, scope.request)
    const isTyped = amount !== undefined || reason !== undefined
    return show(deps, scope, {
      problems: [],
      typed: isTyped ? { amount: amount ?? '', reason: reason ?? '' } : undefined,
    })
  }

interface Typed {
  amount: string
  reason: string
}

type Payment = NonNullable<Awaited<ReturnType<typeof refundablePayment>>>

const paymentIn = (deps: RefundPagesDeps, { request, merchantId }: Scope): Promise<Payment | undefined> => {
  const id = request.params['id'] ?? ''
  return isUuid(id) ? refundablePayment(deps.db, { merchantId, id }) : Promise.resolve(undefined)
}

/** Minor units of a typed amount; undefined: it is no amount, or an unclear one. */
const unitsIn = (deps: RefundPagesDeps, payment: Payment, typed: string): bigint | undefined => {
  const decimal = pointed(typed)
  const scale = deps.rules.catalogue.find(payment.paidTicker)?.scale
  const parsed = decimal === undefined || scale === undefined ? undefined : parseUnits(decimal, scale)
  return parsed?.ok ? parsed.units : undefined
}

/** Asks for a refund of a card payment. */
export const submitCard =
  (deps: RefundPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId, words } = scope
    const texts = textsOf(scope)
    const payment = await paymentIn(deps, scope)
    if (!payment) return lostPage(visit, words)
    const typed = { amount: fields(AMOUNT).trim(), reason: fields(REASON).trim() }
    const failed = (...problems: readonly string[]): Promise<PageAnswer> =>
      show(deps, scope, { problems: problems.map((text) => ({ text })), typed, status: 400 })
    const [units, refunded] = [unitsIn(deps, payment, typed.amount), fields('refunded')]
    const trouble = units === undefined ? 'unclear' : cardTrouble(payment, units, deps)
    const isReason =
      typed.reason !== '' &&
      typed.reason.length <= LONGEST_REASON &&
      !typed.reason.includes('\0') &&
      typed.reason.isWellFormed()
    const problems = [
      ...(trouble === undefined ? [] : [texts.cardTroubles[trouble]]),
      ...(isReason ? [] : [texts.reasonNeeded]),
    ]
    if (problems.length > 0 || units === undefined) return failed(...problems)
    if (!isUuid(fields('form-key')) || !UNITS.test(refunded)) return failed(texts.changed)
    const asked = {
      merchantId,
      id: payment.id,
      formKey: fields('form-key'),
      units,
      refunded: BigInt(refunded),
      reason: typed.reason,
    }
    try {
      const id = await inTransaction(deps.db, (tx) => askForCard(tx, session, asked, deps, visit.now))
      return redirect(linkTo(visit, merchantPath(merchantId, pathOfRequest(id))))
    } catch (error) {
      if (!(error instanceof PayoutProblem)) throw error
      return failed(texts.troubles[error.trouble] ?? texts.changed)
    }
  }

const show = async (
  deps: RefundPagesDeps,
  scope: Scope,
  { problems, typed, status = 200 }: { problems: readonly Problem[]; typed: Typed | undefined; status?: number },
): Promise<PageAnswer> => {
  const { visit, words, merchantId, role } = scope
  const texts = textsOf(scope)
  const payment = await paymentIn(deps, scope)
  if (!payment) return lostPage(visit, words)
  const { id, paidTicker: ticker, paidUnits, refundedUnits, maskedCard, invoiceId } = payment
  const left = paidUnits - refundedUnits
  const open = await openRefundOf(deps.db, merchantId, id, visit.now.real)
  const whole = cardTrouble(payment, left, deps)
  const amount = (units: bigint) => amountPiece(scope, deps.rules.catalogue, ticker, units)
  return merchantPage(scope, {
    title: texts.cardTitle,
    part: 'refunds',
    status,
    actions: html`<a href="${linkTo(visit, merchantPath(merchantId, `payments/card/${invoiceId}`))}">${texts.openPayment}</a>`,
    sections: [
      problemsPiece(problems),
      html`<section class="panel">${facts([
        [texts.received, html`<strong>${amount(paidUnits)}</strong>`],
        refundedUnits === 0n ? undefined : [texts.refundedBefore, amount(refundedUnits)],
        [texts.left, amount(left)],
        maskedCard === null ? undefined : [words.card, foreign(maskedCard)],
      ])}</section>`,
      open
        ? html`<section class="panel"><p>${texts.requestOpen}</p>${mayRole(role, 'see-payouts') && html`<a href="${linkTo(visit, merchantPath(merchantId, pathOfRequest(open.id)))}">${texts.openRequest}</a>`}</section>`
        : whole === 'elsewhere' || left <= 0n
          ? html`<section class="panel"><p>${whole === 'elsewhere' ? texts.cardTroubles.elsewhere : texts.nothingLeft}</p></section>`
          : await formPiece(deps, scope, payment, typed),
    ],
  })
}

const formPiece = async (
  deps: RefundPagesDeps,
  scope: Scope,
  { paidTicker: ticker, paidUnits, refundedUnits }: Payment,
  typed: Typed | undefined,
): Promise<Markup> => {
  const { visit, merchantId, words } = scope
  const texts = textsOf(scope)
  const left = paidUnits - refundedUnits
  const scale = deps.rules.catalogue.find(ticker)?.scale ?? 0
  const amount = typed?.amount ?? inField(formatUnits(left, scale))
  const [balance] = await balancesOf(deps.db, 'merchant', [{ merchantId, asset: ticker }])
  const available = balance!.posted - balance!.held
  const weighed = { lines: [{ ticker, units: left }], refunded: { kind: 'card' } } as const
  const needed = await approvalsFor(deps.db, merchantId, weighed, visit.now.real)
  return html`<form method="post" class="panel" action="${linkTo(visit, visit.path)}"><p>${texts.cardText}</p>${available < left && note('warn', ICONS.alert, texts.short, html`${words.available}: ${amountPiece(scope, deps.rules.catalogue, ticker, available)}`)}${hidden('form-key', deps.runtime.newId())}${hidden('refunded', String(refundedUnits))}
<div class="field"><label class="name" for="${AMOUNT}">${texts.amountIn(ticker)}</label><p class="soft" id="${AMOUNT}-hint">${texts.amountHint}</p><input type="text" id="${AMOUNT}" name="${AMOUNT}" value="${amount}" inputmode="decimal" autocomplete="off" maxlength="60" required aria-describedby="${AMOUNT}-hint"></div>
<div class="field"><label class="name" for="${REASON}">${texts.reason}</label><input type="text" id="${REASON}" name="${REASON}" value="${typed?.reason ?? ''}" maxlength="${LONGEST_REASON}" autocomplete="off" required></div>
<p class="soft">${needed === 0 ? texts.alone : texts.approvalsNeeded(needed)}</p><div class="ask"><button>${texts.ask}</button></div></form>`
}
