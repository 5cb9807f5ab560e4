import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { isNetwork } from '@bursar/chainkit'
import { showNetwork, showTime } from '../../merchants/documents/index.ts'
import {
  approveRequest,
  PayoutProblem,
  readRequest,
  refuseRequest,
  totalsOf,
  withdrawRequest,
  type ApprovalResult,
  type RequestDetail,
  type RequestLine,
} from '../../pay-out/requests/index.ts'
import { mayRole, ProofNeeded } from '../../people/access/index.ts'
import { hidden, input, draftOf, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { liveRegion, lostPage, merchantPage, table, type Scope, type Submitted } from '../frame/index.ts'
import { MADE, type PayoutPagesDeps } from './deps.ts'
import {
  addressPiece,
  amountOf,
  backPiece,
  provingPiece,
  type Said,
  saidPiece,
  statusOf,
  statusTag,
  textsOf,
} from './pieces.ts'
import type { PayoutWords } from './words/index.ts'
import { CARD_WORDS } from './words/cards.ts'
import { REFUND_REQUEST_WORDS } from './words/refunds.ts'

const COUNT = /^\d$/

/** One request: who asked, what for, who approved, and the forms of a decision. */
export const requestPage =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, request } = scope
    const { reason = '' } = draftOf(deps, visit.session, request)
    return show(deps, scope, { said: saidIn(textsOf(scope), request.query), reason })
  }

const saidIn = (texts: PayoutWords, { done, missing, proved }: Readonly<Record<string, string>>): Said | undefined => {
  const said = { placed: texts.saidPlaced, placing: texts.saidPlacing, done: texts.saidDone }
  if (done === 'counted')
    return { isProblem: false, text: texts.saidCounted(COUNT.test(missing ?? '') ? Number(missing) : 1) }
  if (done !== undefined && Object.hasOwn(said, done))
    return { isProblem: false, text: said[done as keyof typeof said] }
  return proved === undefined ? undefined : { isProblem: false, text: texts.saidDone }
}

/** Approves, refuses or withdraws a request. */
export const decide =
  (deps: PayoutPagesDeps) =>
  async (submitted: Submitted): Promise<PageAnswer> => {
    const { scope, session, fields } = submitted
    const { visit, merchantId, request } = scope
    const texts = textsOf(scope)
    const id = request.params['id'] ?? ''
    if (!isUuid(id)) return lostPage(visit, scope.words)
    const done = (query: Readonly<Record<string, string>>): PageAnswer => redirect(linkTo(visit, visit.path, query))
    const reason = fields('reason').trim()
    try {
      switch (fields('do')) {
        case 'approve':
          return answerTo(
            deps,
            scope,
            await approveRequest(deps.db, session, { merchantId, id, shown: fields('shown') }, deps.rules, visit.now),
          )
        case 'refuse': {
          const refused = { merchantId, id, reason }
          await inTransaction(deps.db, (tx) => refuseRequest(tx, session, refused, visit.now))
          return done({ done: 'done' })
        }
        case 'withdraw':
          await inTransaction(deps.db, (tx) => withdrawRequest(tx, session, { merchantId, id }, visit.now))
          return done({ done: 'done' })
        default:
          return show(deps, scope, { said: undefined, reason })
      }
    } catch (error) {
      if (error instanceof ProofNeeded)
        return show(deps, scope, { said: { isProblem: true, text: texts.proveFirst }, reason, status: 403 })
      if (!(error instanceof PayoutProblem)) throw error
      return show(deps, scope, { said: { isProblem: true, text: texts.troubles[error.trouble] }, reason, status: 400 })
    }
  }

const answerTo = async (deps: PayoutPagesDeps, scope: Scope, result: ApprovalResult): Promise<PageAnswer> => {
  const { visit } = scope
  const texts = textsOf(scope)
  if (result.kind === 'refused') {
    const text = result.isFinal ? texts.saidRefusedForGood : texts.saidRefusedNow
    return show(deps, scope, { said: { isProblem: true, text, detail: result.why }, reason: '', status: 400 })
  }
  const missing = result.kind === 'counted' ? { missing: String(result.missing) } : {}
  return redirect(linkTo(visit, visit.path, { done: result.kind, ...missing }))
}

/** The result of a form, and the typed reason of a refusal. */
interface Shown {
  said: Said | undefined
  reason: string
  status?: number
}

const show = async (
  deps: PayoutPagesDeps,
  scope: Scope,
  { said, reason, status = 200 }: Shown,
): Promise<PageAnswer> => {
  const { visit, words, merchantId, role, request } = scope
  const texts = textsOf(scope)
  const id = request.params['id'] ?? ''
  const found = isUuid(id) ? await readRequest(deps.db, merchantId, id, visit.now.real) : undefined
  if (!found) return lostPage(visit, words)
  const isMaker = found.makerId === visit.session?.person.id
  const isOpen = statusOf(found, visit.now.real) === 'waiting'
  const mayApprove = isOpen && (isMaker ? found.needed === 0 : mayRole(role, 'approve-payouts'))
  const hasApproved = found.approvals.some(({ personId }) => personId === visit.session?.person.id)
  const draft: Readonly<Record<string, string>> = reason === '' ? {} : { reason }
  const proving = mayApprove && !hasApproved ? await provingPiece(deps, visit, visit.path, draft) : undefined
  const decision = { isMaker, mayApprove: mayApprove && !hasApproved, isProved: proving === undefined, reason }
  return merchantPage(scope, {
    title: titleOf(scope, found),
    part: 'payouts',
    status,
    isProving: proving !== undefined,
    actions: backPiece(scope),
    sections: [
      saidPiece(said?.text === texts.saidPlacing ? { ...said, text: placingText(scope, found) } : said),
      liveRegion('request', html`<section class="panel">${details(deps, scope, found)}</section>`),
      liveRegion('decision', isOpen && [proving, decisionPanel(scope, found, decision)], 'ends'),
      liveRegion('lines', (found.kind === 'file' || found.lines.length > 1) && linesPanel(deps, scope, found.lines)),
    ],
  })
}

/** An approval has led to the worker, which makes what the request asks for. */
const placingText = (scope: Scope, found: RequestDetail): string => {
  if (found.kind === 'to-card') return CARD_WORDS[scope.language].placing
  return refundKindOf(found) === undefined ? textsOf(scope).saidPlacing : REFUND_REQUEST_WORDS[scope.language].placing
}

const titleOf = (scope: Scope, { kind, name, lines }: RequestDetail): string => {
  const texts = textsOf(scope)
  if (kind === 'claim' || kind === 'card') return REFUND_REQUEST_WORDS[scope.language].title[kind]
  if (kind === 'to-card') return CARD_WORDS[scope.language].title
  return kind === 'file' ? texts.file(name, lines.length) : texts.payout
}

/** The kind of a refund; undefined for payouts. */
const refundKindOf = ({ kind }: Pick<RequestDetail, 'kind'>): 'claim' | 'card' | undefined =>
  kind === 'claim' || kind === 'card' ? kind : undefined

/** The payment that a refund returns. */
const paymentPiece = (scope: Scope, found: RequestDetail): readonly [string, Piece] | undefined => {
  const kind = refundKindOf(found)
  if (kind === undefined) return undefined
  const { payment, openPayment } = REFUND_REQUEST_WORDS[scope.language]
  const path = `payments/${kind === 'claim' ? 'crypto' : 'card'}/${found.invoiceId}`
  return [payment, html`<a href="${linkTo(scope.visit, merchantPath(scope.merchantId, path))}">${openPayment}</a>`]
}

const details = (deps: PayoutPagesDeps, scope: Scope, found: RequestDetail): Markup => {
  const { visit, words } = scope
  const texts = textsOf(scope)
  const [line] = found.lines
  const one = found.lines.length === 1 ? line : undefined
  const isOpen = found.state === 'waiting'
  const refund = refundKindOf(found)
  const isCard = refund === 'card' || found.kind === 'to-card'
  const refunds = REFUND_REQUEST_WORDS[scope.language]
  const approvals: Piece =
    found.approvals.length === 0
      ? texts.noApproval
      : found.approvals.map(({ email, at }) => html`<div>${foreign(email)}, ${showTime(at.getTime())}</div>`)
  return html`${facts([
    [words.status, statusTag(statusOf(found, visit.now.real), texts)],
    paymentPiece(scope, found),
    [refund === 'claim' ? refunds.fromBalance : texts.amount, sumsPiece(deps, scope, found.lines)],
    refund === 'card' ? undefined : [texts.feeLimit, feesPiece(deps, scope, found.lines)],
    one && !isCard ? [texts.network, networkOf(one)] : undefined,
    one && [isCard ? refunds.card : texts.to, addressPiece(one.to)],
    one && one.meta !== null
      ? [refund === undefined ? texts.meta : refunds.note[refund], foreign(one.meta)]
      : undefined,
    [texts.maker, html`${foreign(found.maker)}, ${showTime(found.createdAt.getTime())}`],
    isOpen ? [texts.until, showTime(found.expiresAt.getTime())] : undefined,
    [texts.approvedBy, approvals],
    isOpen && found.needed > 0 ? [texts.needed, String(found.needed)] : undefined,
    found.decider === undefined
      ? undefined
      : [texts.decided, html`${foreign(found.decider)}, ${showTime(found.decidedAt!.getTime())}`],
    found.reason === null ? undefined : [texts.reason, foreign(found.reason)],
    one?.withdrawalId ? [words.id, madeLink(scope, found.kind, one.withdrawalId)] : undefined,
  ])}${isOpen && refund === undefined && risks(texts, found.lines)}`
}

/** What was made of a request; a payout has a page of its own. */
const madeLink = ({ visit, merchantId }: Scope, kind: RequestDetail['kind'], id: string): Markup => {
  const shown = html`<span class="hash">${id}</span>`
  const made = kind === 'one' ? 'chain' : kind === 'to-card' ? 'card' : undefined
  if (made === undefined) return shown
  return html`<a href="${linkTo(visit, merchantPath(merchantId, `${MADE}/${made}/${id}`))}">${shown}</a>`
}

const networkOf = ({ blockchain }: RequestLine): string =>
  isNetwork(blockchain) ? showNetwork(blockchain) : blockchain

/** The sum of each asset on each network. */
const sumsPiece = ({ rules: { catalogue } }: PayoutPagesDeps, scope: Scope, lines: readonly RequestLine[]): Piece =>
  [...Map.groupBy(lines, (line) => `${line.ticker}/${line.blockchain}`).values()].map((some) => {
    const units = some.reduce((sum, line) => sum + line.units, 0n)
    const network = lines.length > 1 && html`, ${networkOf(some[0]!)}`
    return html`<div><strong>${amountOf(scope, catalogue, some[0]!.ticker, units)}</strong>${network}</div>`
  })

/** The sum of the highest fees of each asset. */
const feesPiece = ({ rules: { catalogue } }: PayoutPagesDeps, scope: Scope, lines: readonly RequestLine[]): Piece =>
  [...totalsOf(lines.map(({ ticker, feeLimit }) => ({ ticker, units: feeLimit })))].map(
    ([ticker, units], i) => html`${i > 0 && ' + '}${amountOf(scope, catalogue, ticker, units)}`,
  )

const risks = (texts: PayoutWords, lines: readonly RequestLine[]): Piece => {
  const unknown = lines.filter(({ isNew }) => isNew).length
  const found = [
    ...(unknown === 0 ? [] : [lines.length === 1 ? texts.isNew : texts.newAddresses(unknown)]),
    ...(lines.some(({ isAboveUsual }) => isAboveUsual) ? [texts.isAboveUsual] : []),
  ]
  return found.length > 0 && note('warn', ICONS.alert, texts.risks, ...found)
}

const decisionPanel = (
  { visit, role }: Scope,
  found: RequestDetail,
  {
    isMaker,
    mayApprove,
    isProved,
    reason,
  }: { isMaker: boolean; mayApprove: boolean; isProved: boolean; reason: string },
): Markup | false => {
  const texts = textsOf({ language: visit.language })
  const { contentHash, needed } = found
  const approveText =
    found.kind === 'to-card'
      ? CARD_WORDS[visit.language].approveText
      : refundKindOf(found) === undefined
        ? texts.approveText
        : REFUND_REQUEST_WORDS[visit.language].approveText
  const action = linkTo(visit, visit.path)
  const mayRefuse = !isMaker && mayRole(role, 'approve-payouts')
  if (!isMaker && !mayRefuse) return false
  return html`<section class="panel"><h2>${texts.approveTitle}</h2>${isMaker && html`<p>${needed > 0 ? texts.waitsForOthers : texts.payAloneText}</p>`}${
    mayApprove &&
    isProved &&
    html`<form method="post" action="${action}">${hidden('do', 'approve')}${hidden('shown', contentHash.toString('hex'))}${!isMaker && html`<p>${approveText}</p>`}<div class="pager"><button>${isMaker ? texts.payAlone : texts.approve}</button></div></form>`
  }${
    mayRefuse &&
    html`<form method="post" action="${action}">${hidden('do', 'refuse')}${input({ name: 'reason', label: texts.refuseText, value: reason, autocomplete: 'off', isNeeded: false })}<div class="pager"><button class="second">${texts.refuse}</button></div></form>`
  }${
    isMaker &&
    html`<form method="post" action="${action}">${hidden('do', 'withdraw')}<p class="soft">${texts.withdrawText}</p><div class="pager"><button class="second">${texts.withdraw}</button></div></form>`
  }</section>`
}

/** All lines: those with addresses that are not in the book first. An approval is for each of them. */
const linesPanel = ({ rules: { catalogue } }: PayoutPagesDeps, scope: Scope, lines: readonly RequestLine[]): Markup => {
  const { words } = scope
  const texts = textsOf(scope)
  return html`<section><h2>${texts.lines}</h2>${table(
    texts.lines,
    [
      { title: texts.to },
      { title: texts.network },
      { title: texts.amount, isNumber: true },
      { title: texts.feeLimit, isNumber: true },
      { title: words.status },
    ],
    lines
      .toSorted((one, other) => Number(other.isNew) - Number(one.isNew))
      .map((line) => [
        html`${addressPiece(line.to)}${line.meta !== null && html`<br><span class="soft">${foreign(line.meta)}</span>`}${line.isNew && html`<br><span class="soft">${texts.isNew}</span>`}`,
        networkOf(line),
        amountOf(scope, catalogue, line.ticker, line.units),
        amountOf(scope, catalogue, line.ticker, line.feeLimit),
        html`${texts.lineStates[line.state]}${line.reason !== null && html`<br><span class="soft" lang="en">${foreign(line.reason)}</span>`}`,
      ]),
  )}</section>`
}
