import { isNetwork } from '@bursar/chainkit'
import { foreign, html, type Markup } from '@bursar/checkout/html'
import { facts } from '@bursar/checkout/parts'
import { paidOutCurrencies } from '../../cards/card-payouts/index.ts'
import { showNetwork, showTime } from '../../merchants/documents/index.ts'
import {
  judgeAll,
  listAddresses,
  networksOf,
  offersFor,
  type BookAddress,
  type FieldProblem,
  type JudgedPayout,
  type Offer,
} from '../../pay-out/requests/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Scope, Submitted } from '../frame/index.ts'
import type { PayoutPagesDeps } from './deps.ts'
import { isOfCard, submitCard } from './card-guide.ts'
import { button, radio, stepPage } from './guide-step.ts'
import { checkedPage, FIELDS, judge, submitNew, textPiece, typedIn, type Typed } from './new-page.ts'
import { addressPiece, amountIn, amountOf, textsOf } from './pieces.ts'
import { GUIDE_WORDS } from './words/guide.ts'

/** What the steps have in addition to the form of a payout. */
const FROM = 'payout-from'
const ONLY = 'payout-network'
/** The value of `FROM` for an address that is typed. */
const OTHER = 'other'

/** The text of all steps so far. A step carries that of the others in hidden fields. */
interface Guided extends Typed {
  /** the id of an address of the book, or `OTHER` */
  from: string
  /** the network of the address of the book; empty: any on which the address can be paid */
  only: string
}

const guidedIn = (fields: (name: string) => string): Guided => ({
  ...typedIn(fields),
  from: fields(FROM),
  only: fields(ONLY),
})

/** The first step. Its query may name an address of the book. */
export const guidePage =
  (deps: PayoutPagesDeps) =>
  (scope: Scope): Promise<PageAnswer> =>
    wherePage(deps, scope, { ...guidedIn(() => ''), from: scope.request.query['address'] ?? '' })

/** Leads to the next step, and at the end to the checked payout, which the page of a new payout requests. */
export const submitGuide =
  (deps: PayoutPagesDeps) =>
  (submitted: Submitted): Promise<PageAnswer> => {
    const { scope, fields } = submitted
    const guided = guidedIn(fields)
    if (isOfCard(fields('do'))) return submitCard(deps)(submitted)
    switch (fields('do')) {
      case 'where':
        return where(deps, scope, guided)
      case 'what':
      case 'edit':
        return what(deps, scope, guided)
      case 'back':
        return whatPage(deps, scope, guided)
      case 'all':
      case 'check':
        return howMuch(deps, submitted, guided)
      case 'ask':
        return submitNew(deps)(submitted)
      default:
        return wherePage(deps, scope, guided)
    }
  }

const where = async (deps: PayoutPagesDeps, scope: Scope, guided: Guided): Promise<PageAnswer> => {
  const book = await listAddresses(deps.db, scope.merchantId)
  const known = book.find(({ id }) => id === guided.from)
  if (known) return whatPage(deps, scope, { ...guided, to: known.address, only: known.blockchain })
  const words = GUIDE_WORDS[scope.language]
  if (guided.to === '') return wherePage(deps, scope, guided, words.chooseWhere)
  if (networksOf(guided.to, deps.rules).length === 0) return wherePage(deps, scope, guided, words.badAddress)
  return whatPage(deps, scope, { ...guided, from: OTHER, only: '' })
}

/** The offer of the chosen asset; undefined if the address can't be paid in it. */
const offerOf = async (deps: PayoutPagesDeps, scope: Scope, guided: Guided): Promise<Offer | undefined> =>
  (await offersOf(deps, scope, guided)).find((offer) => assetOf(offer) === guided.asset)

const offersOf = ({ db, rules }: PayoutPagesDeps, { merchantId }: Scope, { to, only }: Guided): Promise<Offer[]> =>
  offersFor(db, merchantId, { to, only: isNetwork(only) ? only : null }, rules)

const assetOf = ({ ticker, network }: Offer): string => `${ticker}/${network}`

const what = async (deps: PayoutPagesDeps, scope: Scope, guided: Guided): Promise<PageAnswer> => {
  const offer = await offerOf(deps, scope, guided)
  if (!offer) return whatPage(deps, scope, guided, GUIDE_WORDS[scope.language].chooseWhat)
  return howMuchPage(deps, scope, guided, offer, [])
}

const howMuch = async (deps: PayoutPagesDeps, submitted: Submitted, guided: Guided): Promise<PageAnswer> => {
  const { scope, fields } = submitted
  const offer = await offerOf(deps, scope, guided)
  if (!offer) return submitNew(deps)(submitted)
  const isAll = fields('do') === 'all'
  const found = isAll ? await everything(deps, scope, guided.to, offer) : await judge(deps, scope, guided)
  if (!('priced' in found)) return howMuchPage(deps, scope, guided, offer, found.problems)
  const scale = deps.rules.catalogue.find(offer.ticker)?.scale ?? 0
  const amount = isAll ? formatUnits(found.priced.units, scale) : guided.amount
  const again = isAll ? await judge(deps, scope, { ...guided, amount }) : found
  if (!('priced' in again)) return howMuchPage(deps, scope, guided, offer, again.problems)
  const { asset, to, meta } = guided
  return checkedPage(deps, scope, { asset, to, amount, meta }, again.priced)
}

/** The payout of everything that is available. */
const everything = (
  { db, rules }: PayoutPagesDeps,
  { merchantId, visit }: Scope,
  to: string,
  { ticker, network, available }: Offer,
): Promise<JudgedPayout> =>
  judgeAll(db, { merchantId, ticker, blockchain: network, to, spend: available }, rules, visit.now.real.getTime())

const wherePage = async (
  { db, cards }: PayoutPagesDeps,
  scope: Scope,
  guided: Guided,
  problem?: string,
): Promise<PageAnswer> => {
  const { visit, merchantId } = scope
  const words = GUIDE_WORDS[scope.language]
  const texts = textsOf(scope)
  const book = await listAddresses(db, merchantId)
  const isOfBook = book.some(({ id }) => id === guided.from)
  const named = ({ id, name, blockchain, address, usableAt }: BookAddress): Markup =>
    radio(
      FROM,
      id,
      id === guided.from,
      html`<strong>${foreign(name)}</strong><br>${addressPiece(address)}<br><span class="soft">${showNetwork(blockchain)}${usableAt > visit.now.real && html`, ${texts.usableFrom(showTime(usableAt.getTime()))}`}</span>`,
    )
  const other = book.length > 0 && radio(FROM, OTHER, !isOfBook, words.other)
  const hint = html`<p class="soft" id="${FIELDS.to}-hint">${words.otherHint}</p>`
  const isWrong = problem !== undefined
  return stepPage(scope, {
    n: 1,
    title: words.where,
    problem,
    isFailed: isWrong,
    content: html`<p>${words.whereText}</p>${book.length > 0 && html`<fieldset><legend class="name">${texts.book}</legend>${book.map(named)}${other}</fieldset>`}
<div class="field"><label class="name" for="${FIELDS.to}">${book.length > 0 ? words.other : texts.to}</label>${hint}<input type="text" id="${FIELDS.to}" name="${FIELDS.to}" value="${isOfBook ? '' : guided.to}" autocomplete="off" aria-describedby="${FIELDS.to}-hint"${isWrong && html` aria-invalid="true"`}></div>`,
    buttons: [
      button('where', words.next),
      paidOutCurrencies(cards.rules).length > 0 && button('card', words.toCard, 'second'),
    ],
    carried: { [FIELDS.asset]: guided.asset, [FIELDS.amount]: guided.amount, [FIELDS.meta]: guided.meta },
  })
}

const whatPage = async (deps: PayoutPagesDeps, scope: Scope, guided: Guided, problem?: string): Promise<PageAnswer> => {
  const words = GUIDE_WORDS[scope.language]
  const texts = textsOf(scope)
  const offers = await offersOf(deps, scope, guided)
  if (offers.length === 0) return wherePage(deps, scope, guided, words.badAddress)
  const { to, from, only, amount, meta } = guided
  return stepPage(scope, {
    n: 2,
    title: words.what,
    problem,
    isFailed: problem !== undefined,
    chosen: facts([[texts.to, addressPiece(to)]]),
    content: html`<p>${words.whatText}</p><fieldset><legend class="name">${texts.asset}</legend>${offers.map((offer) =>
      radio(
        FIELDS.asset,
        assetOf(offer),
        assetOf(offer) === guided.asset || offers.length === 1,
        html`${offer.ticker}, ${showNetwork(offer.network)}<br><span class="soft">${words.available(amountIn(scope, deps.rules.catalogue, offer.ticker, offer.available))}</span>`,
      ),
    )}</fieldset>`,
    buttons: [button('what', words.next), button('start', words.changeWhere, 'second')],
    carried: { [FIELDS.to]: to, [FIELDS.amount]: amount, [FIELDS.meta]: meta, [FROM]: from, [ONLY]: only },
  })
}

const howMuchPage = async (
  deps: PayoutPagesDeps,
  scope: Scope,
  guided: Guided,
  offer: Offer,
  problems: readonly FieldProblem[],
): Promise<PageAnswer> => {
  const words = GUIDE_WORDS[scope.language]
  const texts = textsOf(scope)
  const { to, from, only, asset } = guided
  const { ticker, network, available } = offer
  const shown = (units: bigint): Markup => amountOf(scope, deps.rules.catalogue, ticker, units)
  const all = await everything(deps, scope, to, offer)
  const other = problems.find(({ field }) => field !== 'amount' && field !== 'meta')
  return stepPage(scope, {
    n: 3,
    title: words.howMuch,
    problem: other && texts.problems[other.field],
    isFailed: problems.length > 0,
    chosen: facts([
      [texts.to, addressPiece(to)],
      [texts.asset, `${ticker}, ${showNetwork(network)}`],
      [scope.words.available, shown(available)],
      [texts.fee, 'priced' in all ? (all.priced.fee === 0n ? texts.free : shown(all.priced.fee)) : words.noFee],
      'priced' in all ? [words.most, shown(all.priced.units)] : undefined,
    ]),
    content: html`${textPiece(scope, problems, { field: 'amount', value: guided.amount, label: texts.amount, hint: texts.amountHint, mode: 'decimal', isFree: true })}
${textPiece(scope, problems, { field: 'meta', value: guided.meta, label: texts.meta, hint: texts.metaHint, isFree: true })}
<p class="soft">${words.allText}</p>`,
    buttons: [
      button('check', texts.check),
      'priced' in all && button('all', words.all, 'second'),
      button('back', words.changeWhat, 'second'),
    ],
    carried: { [FIELDS.to]: to, [FIELDS.asset]: asset, [FROM]: from, [ONLY]: only },
  })
}
