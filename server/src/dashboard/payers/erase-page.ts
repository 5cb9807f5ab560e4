import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { authoriseSession, type Now, ProofNeeded, recordOf, type Session } from '../../people/access/index.ts'
import { hidden, draftOf, linkTo, provePanel, redirect, type DashboardDeps } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { addressForms } from '../../platform/base/mail-address.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { insertErasure } from './store.ts'
import { PAYER_WORDS } from './words/index.ts'

export const ERASE = 'payers/erase'
const FIELD = 'payer-email'
const LONGEST = 254

interface Shown {
  typed: string
  problem?: string
  status?: number
}

/** The form that asks which address to erase. */
export const erasePage =
  (deps: DashboardDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const draft = draftOf(deps, scope.visit.session, scope.request)
    return formPage(deps, scope, { typed: draft[FIELD] ?? '' })
  }

/** Shows what the erasure does, or stores it. */
export const submitErase =
  (deps: DashboardDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId } = scope
    const texts = PAYER_WORDS[scope.language]
    const typed = fields(FIELD).trim()
    const emails = typed.length > LONGEST ? [] : [...addressForms(typed)]
    if (emails.length === 0) return formPage(deps, scope, { typed, problem: texts.noAddress, status: 400 })
    if (!session.isProved) return formPage(deps, scope, { typed, problem: texts.proveFirst, status: 403 })
    const id = fields('form')
    if (fields('do') !== 'erase' || !isUuid(id)) return confirmPage(deps, scope, typed)
    try {
      await inTransaction(deps.db, (tx) => askToErase(tx, session, { merchantId, id, emails }, visit.now))
    } catch (error) {
      if (error instanceof ProofNeeded) return formPage(deps, scope, { typed, problem: texts.proveFirst, status: 403 })
      throw error
    }
    return redirect(linkTo(visit, visit.path, { done: '1' }))
  }

/** Stores an erasure of a merchant, once for each form. The record does not have the address. */
const askToErase = async (
  tx: Tx,
  session: Session,
  given: { merchantId: string; id: string; emails: string[] },
  now: Now,
): Promise<void> => {
  const { merchantId, id } = given
  await authoriseSession(tx, session, { merchantId, action: 'erase-payers', needsProof: true })
  if (!(await insertErasure(tx, given, now.real))) return
  await recordOf(tx, session, { merchantId, action: 'erased payer', detail: { id } }, now)
}

const formPage = async (
  deps: DashboardDeps,
  scope: Scope,
  { typed, problem, status = 200 }: Shown,
): Promise<PageAnswer> => {
  const { visit, request } = scope
  const texts = PAYER_WORDS[scope.language]
  const { session } = visit
  const draft: Record<string, string> = typed === '' ? {} : { [FIELD]: typed }
  const proving = session && (await provePanel(deps, { ...visit, session }, { next: visit.path, draft }))
  const isDone = status === 200 && request.query['done'] === '1'
  const wrong: Piece = problem !== undefined && html`<div role="alert">${note('bad', ICONS.alert, problem)}</div>`
  return merchantPage(scope, {
    title: texts.title,
    part: 'payments',
    status,
    isProving: proving !== undefined,
    sections: [
      wrong,
      isDone && html`<div role="status">${note('good', ICONS.check, texts.done)}</div>`,
      proving,
      html`<form method="post" class="panel" action="${linkTo(visit, visit.path)}">${hidden('do', 'check')}<p>${texts.text}</p><div class="field"><label class="name" for="${FIELD}">${texts.email}</label><input type="text" inputmode="email" id="${FIELD}" name="${FIELD}" value="${typed}" maxlength="${LONGEST}" autocomplete="off" required></div><div class="ask"><button>${texts.check}</button></div></form>`,
    ],
  })
}

const confirmPage = (deps: DashboardDeps, scope: Scope, typed: string): PageAnswer => {
  const { visit } = scope
  const texts = PAYER_WORDS[scope.language]
  const form: Markup = html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'erase')}${hidden('form', deps.runtime.newId())}${hidden(FIELD, typed)}<div class="pager"><button>${texts.erase}</button></div></form>`
  return merchantPage(scope, {
    title: texts.confirmTitle,
    part: 'payments',
    sections: [
      html`<section class="panel"><p><strong>${foreign(typed)}</strong></p>${note('warn', ICONS.alert, texts.warning)}${form}<p><a href="${linkTo(visit, visit.path)}">${texts.back}</a></p></section>`,
    ],
  })
}
