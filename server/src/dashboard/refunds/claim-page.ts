import { foreign, html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { showNetwork, showText, showTime } from '../../merchants/documents/index.ts'
import { ClaimRefusal, findClaim, UNDECIDED, type ClaimDetail } from '../../pay-in/crypto-invoices/index.ts'
import { approvalsFor, openRefundOf, PayoutProblem } from '../../pay-out/requests/index.ts'
import { createPricer } from '../../pay-out/withdrawals/index.ts'
import { mayRole, ProofNeeded } from '../../people/access/index.ts'
import { hidden, draftOf, linkTo, merchantPath, provePanel, redirect } from '../../people/pages/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { lostPage, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { askForClaim, creditedOf, refuseClaimOf } from './commands.ts'
import { pathOfRequest, type RefundPagesDeps } from './deps.ts'
import { amountPiece, backPiece, problemsPiece, statusTag, textsOf, type Problem } from './pieces.ts'
import { ofClaim } from './refund.ts'

const LONGEST = 1_000
const LONGEST_NOTE = 300
const UNITS = /^\d{1,78}$/

/** One claim: the payer's request, what a refund would bring the payer now, and the forms of a decision. */
export const claimPage =
  (deps: RefundPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, request } = scope
    const draft = draftOf(deps, visit.session, request)
    return show(deps, scope, { problems: [], note: draft['note'] ?? '' })
  }

/** Asks for the refund of a claim, or refuses the claim. */
export const decideClaim =
  (deps: RefundPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId, words } = scope
    const texts = textsOf(scope)
    const id = scope.request.params['id'] ?? ''
    if (!isUuid(id)) return lostPage(visit, words)
    const typed = fields('note').trim()
    const failed = (text: string, status = 400, detail?: string): Promise<PageAnswer> =>
      show(deps, scope, { problems: [{ text, ...(detail !== undefined && { detail }) }], note: typed, status })
    if (typed.length > LONGEST_NOTE || typed.includes('\0') || !typed.isWellFormed()) return failed(texts.noteTooLong)
    try {
      if (fields('do') === 'refuse') {
        const refused = { merchantId, id, note: typed }
        await inTransaction(deps.db, (tx) => refuseClaimOf(tx, session, refused, deps, visit.now))
        return redirect(linkTo(visit, visit.path, { done: 'refused' }))
      }
      const [formKey, spend, fee] = ['form-key', 'spend', 'fee'].map((name) => fields(name))
      if (fields('do') !== 'ask' || !isUuid(formKey!) || !UNITS.test(spend!) || !UNITS.test(fee!))
        return await show(deps, scope, { problems: [], note: typed })
      const shown = { merchantId, id, formKey: formKey!, spend: BigInt(spend!), fee: BigInt(fee!), note: typed }
      // A form may be old, or not be ours: it can't ask for a higher fee than the present one.
      const found = await findClaim(deps.db, { merchantId, id })
      const price = found && (await priceOf(deps, found, visit.now.real.getTime()))
      if (price && 'fee' in price && price.fee < shown.fee) shown.fee = price.fee
      const asked = await inTransaction(deps.db, (tx) => askForClaim(tx, session, shown, visit.now))
      return redirect(linkTo(visit, merchantPath(merchantId, pathOfRequest(asked))))
    } catch (error) {
      if (error instanceof ProofNeeded) return failed(texts.proveFirst, 403)
      if (error instanceof PayoutProblem)
        return error.trouble === 'unknown'
          ? lostPage(visit, words)
          : failed(texts.troubles[error.trouble] ?? texts.ended)
      if (error instanceof ClaimRefusal) return failed(texts.ended)
      throw error
    }
  }

type Price = { units: bigint; fee: bigint } | { refused: string }

/** What the payer would get now; or why a refund is not possible, in English. */
const priceOf = async ({ db, rules }: RefundPagesDeps, claim: ClaimDetail, now: number): Promise<Price> => {
  const { merchantId, ticker, blockchain, refundAddress: to } = claim
  try {
    const { units, fee } = await (
      await createPricer(db, rules, now)
    )({ merchantId, ticker, blockchain, to, spend: creditedOf(claim) })
    return { units, fee }
  } catch (error) {
    if (error instanceof ApiRefusal) return { refused: error.message }
    throw error
  }
}

const show = async (
  deps: RefundPagesDeps,
  scope: Scope,
  { problems, note: typed, status = 200 }: { problems: readonly Problem[]; note: string; status?: number },
): Promise<PageAnswer> => {
  const { visit, words, merchantId, role, request } = scope
  const texts = textsOf(scope)
  const id = request.params['id'] ?? ''
  const claim = isUuid(id) ? await findClaim(deps.db, { merchantId, id }) : undefined
  if (!claim) return lostPage(visit, words)
  const isOpen = UNDECIDED.includes(claim.state)
  const open = isOpen ? await openRefundOf(deps.db, merchantId, id, visit.now.real) : undefined
  const mayDecide = isOpen && !open && mayRole(role, 'refund-payments')
  const price = mayDecide ? await priceOf(deps, claim, visit.now.real.getTime()) : undefined
  const { session } = visit
  const draft: Readonly<Record<string, string>> = typed === '' ? {} : { note: typed }
  const proving =
    mayDecide && session ? await provePanel(deps, { ...visit, session }, { next: visit.path, draft }) : undefined
  return merchantPage(scope, {
    title: texts.claimTitle,
    part: 'refunds',
    status,
    isProving: proving !== undefined,
    actions: backPiece(scope),
    sections: [
      problemsPiece(problems),
      status === 200 &&
        request.query['done'] === 'refused' &&
        html`<div role="status">${note('good', ICONS.check, texts.refusedNow)}</div>`,
      open &&
        html`<div role="status">${note('warn', ICONS.alert, texts.requestOpen)}</div>${mayRole(role, 'see-payouts') && html`<p><a href="${linkTo(visit, merchantPath(merchantId, pathOfRequest(open.id)))}">${texts.openRequest}</a></p>`}`,
      html`<section class="panel">${details(deps, scope, claim)}</section>`,
      price && (await askPanel(deps, scope, { claim, price, note: typed })),
      mayDecide && proving,
      mayDecide && refusePanel(scope, { note: typed, isProved: proving === undefined }),
    ],
  })
}

const details = ({ rules: { catalogue } }: RefundPagesDeps, scope: Scope, claim: ClaimDetail): Markup => {
  const { visit, words, merchantId } = scope
  const texts = textsOf(scope)
  const row = ofClaim(claim)
  const amount = (units: bigint) => amountPiece(scope, catalogue, claim.ticker, units)
  const link = (path: string, text: string): Markup =>
    html`<a href="${linkTo(visit, merchantPath(merchantId, path))}">${text}</a>`
  const name = showText(claim.name, LONGEST)
  return facts([
    [words.status, statusTag(scope, row.status, row.hasFailed)],
    [texts.payment, html`${foreign(name)}<br>${link(`payments/crypto/${claim.invoiceId}`, texts.openPayment)}`],
    claim.email === null ? undefined : [words.email, foreign(claim.email)],
    [texts.received, amount(claim.paid)],
    claim.fee === 0n ? undefined : [texts.depositFee, amount(claim.fee)],
    [texts.to, html`<span class="hash">${foreign(claim.refundAddress)}</span>`],
    [words.network, showNetwork(claim.blockchain)],
    [texts.requested, showTime(claim.requestedAt.getTime())],
    claim.decidedAt === null ? undefined : [texts.decided, showTime(claim.decidedAt.getTime())],
    claim.units === null ? undefined : [texts.payerGets, amount(claim.units)],
    claim.note === null ? undefined : [texts.note, foreign(showText(claim.note, LONGEST))],
    claim.withdrawalId === null
      ? undefined
      : [texts.withdrawal, link(`payouts/made/chain/${claim.withdrawalId}`, texts.openWithdrawal)],
    claim.hash === null ? undefined : [texts.transaction, html`<span class="hash">${foreign(claim.hash)}</span>`],
  ])
}

const noteField = (scope: Scope, id: string, label: string, value: string): Markup =>
  html`<div class="field"><label class="name" for="${id}">${label}</label><input type="text" id="${id}" name="note" value="${value}" maxlength="${LONGEST_NOTE}" autocomplete="off"></div>`

const askPanel = async (
  deps: RefundPagesDeps,
  scope: Scope,
  { claim, price, note: typed }: { claim: ClaimDetail; price: Price; note: string },
): Promise<Markup> => {
  const { visit, merchantId } = scope
  const texts = textsOf(scope)
  if ('refused' in price)
    return html`<section class="panel"><h2>${texts.refundTitle}</h2>${problemsPiece([{ text: texts.notPossible, detail: price.refused }])}</section>`
  const spend = creditedOf(claim)
  const amount = (units: bigint) => amountPiece(scope, deps.rules.catalogue, claim.ticker, units)
  const weighed = { lines: [{ ticker: claim.ticker, units: spend }], refunded: { kind: 'claim' } } as const
  const needed = await approvalsFor(deps.db, merchantId, weighed, visit.now.real)
  return html`<section class="panel"><h2>${texts.refundTitle}</h2><p>${texts.refundText}</p>${facts([
    [texts.fromBalance, html`<strong>${amount(spend)}</strong>`],
    [texts.networkFee, amount(price.fee)],
    [texts.payerGets, amount(price.units)],
  ])}<p class="soft">${texts.feeText}</p><p>${needed === 0 ? texts.alone : texts.approvalsNeeded(needed)}</p><form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'ask')}${hidden('form-key', deps.runtime.newId())}${hidden('spend', String(spend))}${hidden('fee', String(price.fee))}${noteField(scope, 'note-ask', texts.noteToPayer, typed)}<div class="pager"><button>${texts.ask}</button></div></form></section>`
}

const refusePanel = (scope: Scope, { note: typed, isProved }: { note: string; isProved: boolean }): Markup => {
  const { visit } = scope
  const texts = textsOf(scope)
  return html`<section class="panel"><h2>${texts.refuseTitle}</h2><p>${texts.refuseText}</p>${
    isProved
      ? html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'refuse')}${noteField(scope, 'note-refuse', texts.reasonToPayer, typed)}<div class="pager"><button class="second">${texts.refuse}</button></div></form>`
      : html`<p class="soft">${texts.proveFirst}</p>`
  }</section>`
}
