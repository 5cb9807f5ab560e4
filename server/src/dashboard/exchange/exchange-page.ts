import { pointed } from '@bursar/checkout/amounts'
import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import {
  estimateOf,
  exchangeByMember,
  NotServed,
  tradedAssets,
  type Estimated,
  type MemberExchange,
} from '../../exchange/exchanges/index.ts'
import { mayRole, ProofNeeded } from '../../people/access/index.ts'
import { hidden, draftOf, linkTo, merchantPath, provePanel, redirect } from '../../people/pages/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { AUTOMATIC, automaticPanel, changeAutomatic } from './automatic.ts'
import { COUNTDOWN_SCRIPT } from './countdown.generated.ts'
import { EXCHANGE_PATH, type ExchangePagesDeps } from './deps.ts'
import { historyOf } from './history.ts'
import { orderTrouble, priceTrouble, type Trouble } from './troubles.ts'
import { EXCHANGE_WORDS } from './words/index.ts'

const FIELDS = {
  spend: 'exchange-spend',
  target: 'exchange-target',
  side: 'exchange-side',
  amount: 'exchange-amount',
} as const
type FieldName = keyof typeof FIELDS
type Typed = Record<FieldName, string>
const [PRICE, KEY] = ['exchange-price', 'exchange-key']
const LONGEST = 60

const typedIn = (fields: (name: string) => string): Typed => ({
  spend: fields(FIELDS.spend),
  target: fields(FIELDS.target),
  side: fields(FIELDS.side) === 'target' ? 'target' : 'spend',
  amount: fields(FIELDS.amount).trim(),
})

/** A problem, and a text of the API about it, in English. */
interface Problem {
  trouble: Trouble
  detail?: string
}

/** The form of an exchange, and all exchanges. */
export const exchangePage =
  (deps: ExchangePagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const draft = draftOf(deps, scope.visit.session, scope.request)
    return formPage(deps, scope, {
      typed: typedIn((name) => draft[name] ?? ''),
      automatic: draft[AUTOMATIC.target],
      problems: [],
    })
  }

/** Shows the price of the form, makes the exchange whose price was shown, or changes the automatic exchange. */
export const submitExchange =
  (deps: ExchangePagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId } = scope
    const typed = typedIn(fields)
    const shown = async (problems: readonly Problem[], status = 400): Promise<PageAnswer> =>
      formPage(deps, scope, { typed, problems, status })
    if (fields('do') === 'automatic') return saveAutomatic(deps, { scope, session, fields })
    if (fields('do') === 'edit') return shown([], 200)
    const problems: Problem[] = [
      ...(typed.spend === '' || typed.target === '' || typed.spend === typed.target
        ? [{ trouble: 'pair' as const }]
        : []),
      ...(pointed(typed.amount) === undefined || !/\d/.test(typed.amount) ? [{ trouble: 'unclear' as const }] : []),
    ]
    if (problems.length > 0) return shown(problems)
    const asked = askedOf(typed)
    if (fields('do') !== 'exchange' || !isUuid(fields(KEY))) {
      try {
        return await pricedPage(deps, scope, typed, await estimateOf(deps.trading, merchantId, asked))
      } catch (error) {
        if (!(error instanceof ApiRefusal)) throw error
        return shown([{ trouble: priceTrouble(error), detail: error.message }])
      }
    }
    try {
      const given: MemberExchange = { ...asked, merchantId, price: fields(PRICE), formKey: fields(KEY).toLowerCase() }
      const id = await exchangeByMember(deps.trading, session, given, visit.now)
      return redirect(linkTo(visit, merchantPath(merchantId, EXCHANGE_PATH), { done: id }))
    } catch (error) {
      if (error instanceof ProofNeeded) return shown([{ trouble: 'proof' }], 403)
      if (error instanceof NotServed) return shown([{ trouble: 'notServed' }])
      if (!(error instanceof ApiRefusal)) throw error
      return shown([{ trouble: orderTrouble(error), detail: error.message }])
    }
  }

const saveAutomatic = async (deps: ExchangePagesDeps, { scope, session, fields }: Submitted): Promise<PageAnswer> => {
  const { visit, merchantId } = scope
  const [target, before] = [fields(AUTOMATIC.target), fields(AUTOMATIC.shown)]
  const failed = (trouble: Trouble, status: number): Promise<PageAnswer> =>
    formPage(deps, scope, { typed: typedIn(() => ''), automatic: target, problems: [{ trouble }], status })
  try {
    const given = { merchantId, target, shown: before }
    const outcome = await inTransaction(deps.db, (tx) => changeAutomatic(tx, deps, session, given, visit.now))
    if (outcome === 'changed') return await failed('changed', 409)
    if (outcome === 'wrong') return await failed('pair', 400)
  } catch (error) {
    if (!(error instanceof ProofNeeded)) throw error
    return failed('proof', 403)
  }
  return redirect(linkTo(visit, merchantPath(merchantId, EXCHANGE_PATH), { said: 'saved' }))
}

const askedOf = ({ spend, target, side, amount }: Typed): Omit<MemberExchange, 'merchantId' | 'price' | 'formKey'> => ({
  spendTicker: spend,
  targetTicker: target,
  side: side === 'target' ? 'target' : 'spend',
  amount: pointed(amount) ?? amount,
})

const draftOfTyped = (typed: Typed): Record<string, string> =>
  typed.amount === ''
    ? {}
    : Object.fromEntries(Object.entries(FIELDS).map(([field, name]) => [name, typed[field as FieldName]]))

const formPage = async (
  deps: ExchangePagesDeps,
  scope: Scope,
  {
    typed,
    automatic,
    problems,
    status = 200,
  }: { typed: Typed; automatic?: string | undefined; problems: readonly Problem[]; status?: number },
): Promise<PageAnswer> => {
  const { visit, merchantId, role, language, request } = scope
  const texts = EXCHANGE_WORDS[language]
  const { session } = visit
  const may = mayRole(role, 'exchange')
  const draftTarget: Record<string, string> = automatic === undefined ? {} : { [AUTOMATIC.target]: automatic }
  const proving =
    may && session
      ? await provePanel(
          deps,
          { ...visit, session },
          { next: merchantPath(merchantId, EXCHANGE_PATH), draft: { ...draftOfTyped(typed), ...draftTarget } },
        )
      : undefined
  return merchantPage(scope, {
    title: visit.words.exchange,
    part: 'exchange',
    status,
    isProving: proving !== undefined,
    sections: [
      status === 200 &&
        isUuid(request.query['done'] ?? '') &&
        html`<div role="status">${note('good', ICONS.check, texts.done)}</div>`,
      status === 200 &&
        request.query['said'] === 'saved' &&
        html`<div role="status">${note('good', ICONS.check, texts.automaticSaved)}</div>`,
      problems.length > 0 && problemsPiece(scope, problems),
      proving,
      may && formPiece(deps, scope, typed, problems),
      await automaticPanel(deps, scope, automatic),
      ...(await historyOf(deps, scope)),
    ],
  })
}

const problemsPiece = (scope: Scope, problems: readonly Problem[]): Markup => {
  const texts = EXCHANGE_WORDS[scope.language]
  return html`<div role="alert">${note(
    'bad',
    ICONS.alert,
    ...problems.map(
      ({ trouble, detail }) =>
        html`${texts.troubles[trouble]}${detail !== undefined && html` <span lang="en">${foreign(detail)}</span>`}`,
    ),
  )}</div>`
}

const formPiece = (deps: ExchangePagesDeps, scope: Scope, typed: Typed, problems: readonly Problem[]): Markup => {
  const { visit, language } = scope
  const texts = EXCHANGE_WORDS[language]
  const has = (...troubles: readonly Trouble[]): boolean => problems.some(({ trouble }) => troubles.includes(trouble))
  const wrong = (isWrong: boolean): Piece => isWrong && html` aria-invalid="true"`
  const choose = (field: 'spend' | 'target', label: string): Markup =>
    html`<div class="field"><label class="name" for="${FIELDS[field]}">${label}</label><select id="${FIELDS[field]}" name="${FIELDS[field]}" required${wrong(has('pair'))}>${[
      '',
      ...tradedAssets(deps.trading.policy),
    ].map(
      (ticker) =>
        html`<option value="${ticker}"${ticker === typed[field] && html` selected`}>${ticker === '' ? '–' : ticker}</option>`,
    )}</select></div>`
  const sides = [
    ['spend', texts.sideSpend],
    ['target', texts.sideTarget],
  ] as const
  return html`<form method="post" class="panel" action="${linkTo(visit, visit.path)}">${hidden('do', 'price')}<h2>${texts.make}</h2><div class="grid">${choose('spend', texts.give)}${choose('target', texts.get)}</div>
<div class="field"><label class="name" for="${FIELDS.side}">${texts.amountIs}</label><select id="${FIELDS.side}" name="${FIELDS.side}">${sides.map(([value, text]) => html`<option value="${value}"${value === typed.side && html` selected`}>${text}</option>`)}</select></div>
<div class="field"><label class="name" for="${FIELDS.amount}">${texts.amount}</label><input type="text" id="${FIELDS.amount}" name="${FIELDS.amount}" value="${typed.amount}" inputmode="decimal" autocomplete="off" maxlength="${LONGEST}" required${wrong(has('unclear', 'amount', 'balance'))}></div>
<div class="ask"><button>${texts.showPrice}</button></div></form>`
}

/**
 * The price of an exchange now, and the form that makes the exchange at this price or a better one. A script counts
 * down to the end of the price. The place of what it shows is free before, so that nothing moves.
 */
const pricedPage = async (
  deps: ExchangePagesDeps,
  scope: Scope,
  typed: Typed,
  { price, first, second, spent, fee, received, endsAt }: Estimated,
): Promise<PageAnswer> => {
  const { visit, merchantId, language } = scope
  const texts = EXCHANGE_WORDS[language]
  const { session } = visit
  const left = Math.max(0, endsAt.getTime() - deps.runtime.clock.now())
  const again = Object.entries(FIELDS).map(([field, name]) => hidden(name, typed[field as FieldName]))
  const proving =
    session &&
    (await provePanel(
      deps,
      { ...visit, session },
      { next: merchantPath(merchantId, EXCHANGE_PATH), draft: draftOfTyped(typed) },
    ))
  const [lasting, ended] =
    proving === undefined ? [texts.untilText, texts.endedText] : [texts.untilUnproved, texts.endedUnproved]
  return merchantPage(scope, {
    title: texts.priceTitle,
    part: 'exchange',
    isProving: proving !== undefined,
    script: COUNTDOWN_SCRIPT,
    sections: [
      proving,
      html`<section class="panel quote" data-left="${left}">${facts([
        [texts.youGive, html`<strong>${spent} ${typed.spend}</strong>`],
        [texts.feeInside, `${fee} ${typed.spend}`],
        [texts.youGet, html`<strong>${received} ${typed.target}</strong>`],
        [texts.price, texts.priceOf(price, first, second)],
        [
          texts.until,
          html`<span class="tag count" role="timer" data-words="${texts.secondsLeft}">0:00</span>${endsAt.toISOString().slice(11, 19)} UTC`,
        ],
      ])}<div class="stack"><p class="soft lasts">${lasting}</p><p class="ended"><strong>${texts.ended}</strong> ${ended}</p></div>${
        proving === undefined &&
        html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'exchange')}${hidden(KEY, deps.runtime.newId())}${hidden(PRICE, price)}${again}<div class="pager"><button data-turn>${texts.confirm}</button></div></form>`
      }<form method="post" action="${linkTo(visit, visit.path)}">${again}<div class="pager"><button class="second" name="do" value="price" data-turn>${texts.newPrice}</button><button class="second" name="do" value="edit">${texts.edit}</button></div></form></section>`,
    ],
  })
}
