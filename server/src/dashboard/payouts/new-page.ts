import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import type { Network } from '@bursar/chainkit'
import { showNetwork } from '../../merchants/documents/index.ts'
import {
  judgePayouts,
  keyOf,
  knownAddresses,
  lineOf,
  listAddresses,
  PayoutProblem,
  requestPayouts,
  typedAmount,
  type FieldProblem,
  type JudgedPayout,
  type TypedPayout,
} from '../../pay-out/requests/index.ts'
import type { Priced } from '../../pay-out/withdrawals/index.ts'
import { hidden, draftOf, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { checkedPayoutPage } from './checked-payout.ts'
import { pathOfRequest, type PayoutPagesDeps } from './deps.ts'
import { FEES, hasRisen, shownFees } from './fees.ts'
import { addressPiece, backPiece, type Said, saidPiece, textsOf } from './pieces.ts'

/** The names of the fields. */
export const FIELDS = { asset: 'payout-asset', to: 'payout-to', amount: 'payout-amount', meta: 'payout-meta' } as const
type FieldName = keyof typeof FIELDS
export type Typed = Record<FieldName, string>

/** The texts of the form. */
export const typedIn = (fields: (name: string) => string): Typed => ({
  asset: fields(FIELDS.asset),
  to: fields(FIELDS.to).trim(),
  amount: typedAmount(fields(FIELDS.amount).trim()),
  meta: fields(FIELDS.meta).trim(),
})

const payoutOf = ({ asset, ...typed }: Typed): TypedPayout => {
  const [ticker = '', blockchain = ''] = asset.split('/')
  return { ticker, blockchain, ...typed }
}

/** The form of a new payout. */
export const newPage =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> =>
    formPage(deps, scope, { typed: await firstTyped(deps, scope), problems: [] })

/**
 * What the form has at first: the draft of the session, or an address of the book. A link of another site
 * can't fill it.
 */
const firstTyped = async (deps: PayoutPagesDeps, { visit, request, merchantId }: Scope): Promise<Typed> => {
  const draft = draftOf(deps, visit.session, request)
  const typed = typedIn((name) => draft[name] ?? '')
  const to = (await listAddresses(deps.db, merchantId)).find(({ id }) => id === request.query['address'])
  if (!to) return typed
  const asset = deps.rules.catalogue.crypto.find(({ networks }) => networks.has(to.blockchain))
  return { ...typed, to: to.address, asset: `${asset?.ticker ?? ''}/${to.blockchain}` }
}

/** Checks the form and shows its fee, or requests the payout that was shown. */
export const submitNew =
  (deps: PayoutPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId } = scope
    const typed = typedIn(fields)
    if (fields('do') === 'edit') return formPage(deps, scope, { typed, problems: [] })
    const found = await judge(deps, scope, typed)
    if (!('priced' in found)) return formPage(deps, scope, { typed, problems: found.problems })
    const formKey = fields('form-key')
    if (fields('do') !== 'ask' || !isUuid(formKey)) return checkedPage(deps, scope, typed, found.priced)
    if (hasRisen([found.priced], fields(FEES)))
      return checkedPage(deps, scope, typed, found.priced, { isProblem: true, text: textsOf(scope).feeRose })
    const lines = [lineOf(found.priced, 1, typed.meta)]
    try {
      const given = { merchantId, kind: 'one', name: '', formKey, lines } as const
      const id = await inTransaction(deps.db, (tx) => requestPayouts(tx, session, given, visit.now))
      return redirect(linkTo(visit, merchantPath(merchantId, pathOfRequest(id))))
    } catch (error) {
      if (!(error instanceof PayoutProblem)) throw error
      const said = { isProblem: true, text: textsOf(scope).troubles[error.trouble] }
      return formPage(deps, scope, { typed, problems: [], said })
    }
  }

/** The price of a typed payout now, or all its problems. */
export const judge = async (
  { db, rules }: PayoutPagesDeps,
  { merchantId, visit }: Scope,
  typed: Typed,
): Promise<JudgedPayout> => {
  const [judged] = await judgePayouts(db, merchantId, [payoutOf(typed)], rules, visit.now.real.getTime())
  return judged!
}

const formPage = async (
  { rules }: PayoutPagesDeps,
  scope: Scope,
  { typed, problems, said }: { typed: Typed; problems: readonly FieldProblem[]; said?: Said },
): Promise<PageAnswer> => {
  const texts = textsOf(scope)
  const { visit } = scope
  const other = problems.find(({ field }) => field === 'other')
  const assets = rules.catalogue.crypto.flatMap(({ ticker, networks }) =>
    [...networks.keys()].map((network) => [`${ticker}/${network}`, `${ticker}, ${showNetwork(network)}`] as const),
  )
  const isFailed = problems.length > 0 || said !== undefined
  return merchantPage(scope, {
    title: texts.newPayout,
    part: 'payouts',
    status: isFailed ? 400 : 200,
    actions: backPiece(scope),
    sections: [
      saidPiece(said),
      other && saidPiece({ isProblem: true, text: texts.problems.other, ...detailOf(other) }),
      html`<form method="post" class="panel" action="${linkTo(visit, visit.path)}">${hidden('do', 'check')}<p>${texts.newText}</p>
<div class="field"><label class="name" for="${FIELDS.asset}">${texts.asset}</label>${wrongPiece(scope, problems, 'asset')}<select id="${FIELDS.asset}" name="${FIELDS.asset}" required>${[
        ['', '–'] as const,
        ...assets,
      ].map(
        ([value, text]) => html`<option value="${value}"${value === typed.asset && html` selected`}>${text}</option>`,
      )}</select></div>
${textPiece(scope, problems, { field: 'to', value: typed.to, label: texts.to, hint: texts.toHint })}
${textPiece(scope, problems, { field: 'amount', value: typed.amount, label: texts.amount, hint: texts.amountHint, mode: 'decimal' })}
${textPiece(scope, problems, { field: 'meta', value: typed.meta, label: texts.meta, hint: texts.metaHint, isFree: true })}
<div class="ask"><button>${texts.check}</button></div></form>`,
    ],
  })
}

const detailOf = ({ detail }: FieldProblem): Pick<Said, 'detail'> => (detail === undefined ? {} : { detail })

const wrongPiece = (scope: Scope, problems: readonly FieldProblem[], field: FieldName, value?: string): Piece => {
  const problem = problems.find((one) => one.field === field)
  const texts = textsOf(scope)
  const text = value === '' && (field === 'to' || field === 'amount') ? texts.missing[field] : texts.problems[field]
  return (
    problem &&
    html`<p class="wrong" id="${FIELDS[field]}-wrong" role="alert">${text}${problem.detail !== undefined && html` <span lang="en">${foreign(problem.detail)}</span>`}</p>`
  )
}

interface TextField {
  field: FieldName
  value: string
  label: string
  hint: string
  mode?: 'decimal'
  isFree?: boolean
}

/** A field of text with its hint and its problem. */
export const textPiece = (
  scope: Scope,
  problems: readonly FieldProblem[],
  { field, value, label, hint, mode, isFree = false }: TextField,
): Markup => {
  const id = FIELDS[field]
  const isWrong = problems.some((one) => one.field === field)
  return html`<div class="field"><label class="name" for="${id}">${label}</label><p class="soft" id="${id}-hint">${hint}</p>${wrongPiece(scope, problems, field, value)}
<input type="text" id="${id}" name="${id}" value="${value}" autocomplete="off" aria-describedby="${id}-hint${isWrong && ` ${id}-wrong`}"${isWrong && html` aria-invalid="true"`}${mode && html` inputmode="${mode}"`}${!isFree && html` required`}></div>`
}

/** The payout as it would be made now, with its fee. Nothing is stored yet. */
export const checkedPage = async (
  deps: PayoutPagesDeps,
  scope: Scope,
  typed: Typed,
  priced: Priced,
  said?: Said,
): Promise<PageAnswer> => {
  const texts = textsOf(scope)
  const { place, units, fee } = priced
  const { network } = place.where.on
  const known = await knownAddresses(deps.db, scope.merchantId, scope.visit.now.real)
  const checked = {
    ticker: place.where.asset.ticker,
    units,
    fee,
    receiver: [
      [texts.network, showNetwork(network as Network)],
      [texts.to, addressPiece(place.to)],
    ],
    reference: typed.meta === '' ? undefined : foreign(typed.meta),
    warning: known.has(keyOf(network, place.to)) ? undefined : texts.isNew,
    feeText: texts.feeText,
    shownFees: shownFees([priced]),
    verbs: { ask: 'ask', edit: 'edit' },
    typed: Object.fromEntries(Object.entries(FIELDS).map(([field, name]) => [name, typed[field as FieldName]])),
  } as const
  return checkedPayoutPage(deps, scope, checked, said)
}
