/**
 * The steps of a payout to a card in the guided payout: the card and the currency, then the amount. The number is typed
 * once; the later steps carry it sealed for the session.
 */
import { foreign, html, type Piece } from '@bursar/checkout/html'
import { facts } from '@bursar/checkout/parts'
import {
  currenciesForCards,
  judgeCardPayout,
  PayoutProblem,
  requestCardPayout,
  typedAmount,
  type CardProblem,
  type PricedCardPayout,
  type TypedCardPayout,
} from '../../pay-out/requests/index.ts'
import { linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { Session } from '../../people/access/index.ts'
import { maskCard } from '../../platform/api/card-numbers.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { type Scope, type Submitted } from '../frame/index.ts'
import { checkedPayoutPage } from './checked-payout.ts'
import { pathOfRequest, type PayoutPagesDeps } from './deps.ts'
import { FEES } from './fees.ts'
import { button, radio, stepPage } from './guide-step.ts'
import { FIELDS, textPiece } from './new-page.ts'
import { amountIn, amountOf, textsOf, type Said } from './pieces.ts'
import { CARD_WORDS } from './words/cards.ts'
import { GUIDE_WORDS } from './words/guide.ts'

const CARD = 'payout-card'
/** The number of an earlier step, sealed. */
const SEALED = 'payout-card-sealed'
const CURRENCY = 'payout-currency'
const LONGEST_CARD = 40
const UNITS = /^\d{1,78}$/

/** Values of the button of these steps. */
export const isOfCard = (does: string): boolean => /^card(-[a-z]+)?$/.test(does)

/** A number can be carried by the forms of one session for one merchant only. */
const sealedFor = ({ id }: Session, { merchantId }: Scope): string => `card of a payout|${id}|${merchantId}`

const openedIn = ({ ring }: PayoutPagesDeps, { session, scope, fields }: Submitted): string => {
  const sealed = fields(SEALED)
  if (sealed === '') return ''
  try {
    return ring.open(sealed, sealedFor(session, scope))
  } catch {
    // The person has signed in again since.
    return ''
  }
}

/** The texts of all steps. `isTyped`: the number was typed in this form. */
interface Typed extends TypedCardPayout {
  isTyped: boolean
}

const typedIn = (deps: PayoutPagesDeps, submitted: Submitted): Typed => {
  const { fields } = submitted
  const typed = fields(CARD).trim()
  return {
    ticker: fields(CURRENCY),
    card: typed === '' ? openedIn(deps, submitted) : typed.slice(0, LONGEST_CARD),
    isTyped: typed !== '',
    amount: typedAmount(fields(FIELDS.amount).trim()),
    meta: fields(FIELDS.meta).trim(),
  }
}

/** Leads to the next step of a payout to a card, and at the end requests it. */
export const submitCard =
  (deps: PayoutPagesDeps) =>
  async (submitted: Submitted): Promise<PageAnswer> => {
    const { fields } = submitted
    const typed = typedIn(deps, submitted)
    const judged = judgeCardPayout(typed, deps.cards.rules)
    const problems = 'problems' in judged ? judged.problems : []
    const ofCard = problems.filter(({ field }) => field === 'card' || field === 'ticker')
    const does = fields('do')
    if (does === 'card' || does === 'card-back') return cardPage(deps, submitted, typed, [])
    if (ofCard.length > 0) return cardPage(deps, submitted, typed, ofCard)
    if (does === 'card-what' || does === 'card-edit') return amountPage(deps, submitted, typed, [])
    if (!('priced' in judged)) return amountPage(deps, submitted, typed, problems)
    return does === 'card-ask'
      ? ask(deps, submitted, typed, judged.priced)
      : checkedPage(deps, submitted, typed, judged.priced)
  }

const ask = async (
  deps: PayoutPagesDeps,
  submitted: Submitted,
  typed: Typed,
  priced: PricedCardPayout,
): Promise<PageAnswer> => {
  const { scope, session, fields } = submitted
  const { visit, merchantId } = scope
  const [formKey, shown] = [fields('form-key'), fields(FEES)]
  const texts = textsOf(scope)
  const problem = (text: string): Promise<PageAnswer> =>
    checkedPage(deps, submitted, typed, priced, { isProblem: true, text })
  if (!isUuid(formKey)) return checkedPage(deps, submitted, typed, priced)
  if (!UNITS.test(shown) || priced.fee > BigInt(shown)) return problem(texts.feeRose)
  try {
    const given = { merchantId, formKey, priced }
    const id = await inTransaction(deps.db, (tx) => requestCardPayout(tx, session, given, deps.cards.box, visit.now))
    return redirect(linkTo(visit, merchantPath(merchantId, pathOfRequest(id))))
  } catch (error) {
    if (!(error instanceof PayoutProblem)) throw error
    return problem(texts.troubles[error.trouble])
  }
}

/** Hidden fields of the card, for the later steps. */
const carriedCard = (
  { ring }: PayoutPagesDeps,
  { session, scope }: Submitted,
  { card, ticker }: Typed,
): Record<string, string> => ({
  [CURRENCY]: ticker,
  [SEALED]: card === '' ? '' : ring.seal(card, sealedFor(session, scope)),
})

const digitsOf = (card: string): string => card.replaceAll(/\D/g, '')

const wrong = (
  isWrong: boolean,
  text: string,
  problems: readonly CardProblem[],
  field: CardProblem['field'],
): Piece => {
  const detail = problems.find((one) => one.field === field)?.detail
  return (
    isWrong &&
    html`<p class="wrong" role="alert" id="${field}-wrong">${text}${detail !== undefined && html` <span lang="en">${foreign(detail)}</span>`}</p>`
  )
}

const cardPage = async (
  deps: PayoutPagesDeps,
  submitted: Submitted,
  typed: Typed,
  problems: readonly CardProblem[],
): Promise<PageAnswer> => {
  const { scope } = submitted
  const [words, guide] = [CARD_WORDS[scope.language], GUIDE_WORDS[scope.language]]
  const offers = await currenciesForCards(deps.db, scope.merchantId, deps.cards.rules)
  const [isCardWrong, isCurrencyWrong] = (['card', 'ticker'] as const).map((field) =>
    problems.some((one) => one.field === field),
  ) as [boolean, boolean]
  const isEntered = !typed.isTyped && typed.card !== ''
  const hint = isEntered ? words.keepCard(maskCard(digitsOf(typed.card))) : words.cardHint
  return stepPage(scope, {
    n: 2,
    title: words.which,
    problem: undefined,
    isFailed: problems.length > 0,
    content: html`<p>${words.whichText}</p><div class="field"><label class="name" for="${CARD}">${words.card}</label><p class="soft" id="${CARD}-hint">${hint}</p>${wrong(isCardWrong, words.badCard, [], 'card')}
<input type="text" id="${CARD}" name="${CARD}" value="${typed.isTyped ? typed.card : ''}" inputmode="numeric" autocomplete="off" maxlength="${LONGEST_CARD}" aria-describedby="${CARD}-hint${isCardWrong && ' card-wrong'}"${isCardWrong && html` aria-invalid="true"`}></div>
<fieldset><legend class="name">${words.currency}</legend>${wrong(isCurrencyWrong, words.chooseCurrency, [], 'ticker')}${offers.map(
      ({ asset: { ticker }, available }) =>
        radio(
          CURRENCY,
          ticker,
          ticker === typed.ticker || offers.length === 1,
          html`${ticker}<br><span class="soft">${guide.available(amountIn(scope, deps.rules.catalogue, ticker, available))}</span>`,
        ),
    )}</fieldset>`,
    buttons: [button('card-what', guide.next), button('start', words.toAddress, 'second')],
    carried: {
      ...(isEntered ? { [SEALED]: carriedCard(deps, submitted, typed)[SEALED]! } : {}),
      [FIELDS.amount]: typed.amount,
      [FIELDS.meta]: typed.meta,
    },
  })
}

const availableIn = async (deps: PayoutPagesDeps, { merchantId }: Scope, ticker: string): Promise<bigint> => {
  const offers = await currenciesForCards(deps.db, merchantId, deps.cards.rules)
  return offers.find(({ asset }) => asset.ticker === ticker)?.available ?? 0n
}

const amountPage = async (
  deps: PayoutPagesDeps,
  submitted: Submitted,
  typed: Typed,
  problems: readonly CardProblem[],
): Promise<PageAnswer> => {
  const { scope } = submitted
  const [words, guide, texts] = [CARD_WORDS[scope.language], GUIDE_WORDS[scope.language], textsOf(scope)]
  const shown = problems.flatMap(({ field, ...detail }) =>
    field === 'amount' || field === 'meta' ? [{ field, ...detail }] : [],
  )
  const isMetaWrong = shown.some(({ field }) => field === 'meta')
  return stepPage(scope, {
    n: 3,
    title: guide.howMuch,
    problem: isMetaWrong ? words.badMeta : undefined,
    isFailed: problems.length > 0,
    chosen: facts([
      [words.card, foreign(maskCard(digitsOf(typed.card)))],
      [words.currency, typed.ticker],
      [
        scope.words.available,
        amountOf(scope, deps.rules.catalogue, typed.ticker, await availableIn(deps, scope, typed.ticker)),
      ],
    ]),
    content: html`${textPiece(scope, shown, { field: 'amount', value: typed.amount, label: texts.amount, hint: texts.amountHint, mode: 'decimal', isFree: true })}
${textPiece(scope, shown, { field: 'meta', value: typed.meta, label: texts.meta, hint: texts.metaHint, isFree: true })}`,
    buttons: [button('card-check', texts.check), button('card-back', words.changeCard, 'second')],
    carried: carriedCard(deps, submitted, typed),
  })
}

/** The payout as it would be made now, with its fee. Nothing is stored yet. */
const checkedPage = async (
  deps: PayoutPagesDeps,
  submitted: Submitted,
  typed: Typed,
  { asset: { ticker }, card, units, fee, meta }: PricedCardPayout,
  said?: Said,
): Promise<PageAnswer> => {
  const { scope } = submitted
  const words = CARD_WORDS[scope.language]
  const isShort = (await availableIn(deps, scope, ticker)) < units + fee
  const checked = {
    ticker,
    units,
    fee,
    receiver: [[words.card, foreign(maskCard(card))]],
    reference: meta === '' ? undefined : foreign(meta),
    warning: isShort ? words.isShort : undefined,
    feeText: words.feeText,
    shownFees: String(fee),
    verbs: { ask: 'card-ask', edit: 'card-edit' },
    typed: { ...carriedCard(deps, submitted, typed), [FIELDS.amount]: typed.amount, [FIELDS.meta]: meta },
  } as const
  return checkedPayoutPage(deps, scope, checked, said)
}
