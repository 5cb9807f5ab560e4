import { amountText } from './amounts.ts'
import { documentOf, type RenderedPage } from './document.ts'
import { foreign, html, type Markup } from './html.ts'
import { ICONS } from './icons.ts'
import { note } from './parts.ts'
import type { Language, Seller } from './view.ts'
import { WORDS, type Words } from './words/index.ts'

/** An invoice that this browser made from the link, and that can still be paid. */
interface OpenInvoice {
  /** of its payment page */
  url: string
  /** a decimal */
  value: string
  ticker: string
}

/** The form of a payment link. */
interface LinkForm {
  at: 'open'
  isCard: boolean
  /** distinguishes this form from those of other payers and other visits */
  key: string
  ticker: string
  /** a decimal; undefined: the payer chooses it, within the limits */
  amount: string | undefined
  least: string | undefined
  most: string | undefined
  open?: OpenInvoice | undefined
  /** what the payer typed, and why it was refused */
  given?: string | undefined
  problem?: 'missing' | 'malformed' | 'limits' | 'old' | undefined
}

/** The page of a payment link. */
export interface LinkView {
  seller: Seller
  name: string
  description: string | undefined
  /** of this origin, without query */
  path: string
  state: LinkForm | { at: 'ended'; why: 'stopped' | 'expired' | 'used' | 'unavailable'; open?: OpenInvoice | undefined }
}

const WHY = {
  stopped: 'linkStopped',
  expired: 'linkExpired',
  used: 'linkUsed',
  unavailable: 'linkUnavailable',
} as const satisfies Record<string, keyof Words>

/** Renders the page of a payment link, which has no script. */
export const renderLink = (view: LinkView, language: Language): RenderedPage => {
  const words = WORDS[language]
  const { seller, state, path } = view
  const inLanguage = (other: Language): string => `${path}?lang=${other}`
  const title = state.at === 'open' ? words.pageTitle(seller.name) : words.linkEndedTitle
  const about = html`<p class="about">${foreign(view.name)}</p>${view.description !== undefined && html`<p class="soft">${foreign(view.description)}</p>`}`
  const main =
    state.at === 'open'
      ? html`<main><section class="summary" aria-label="${words.invoice}"><p class="label">${words.amountDue}</p>
<p class="sum">${state.amount === undefined ? html`<small>${words.amountOpen}</small>` : amountText({ value: state.amount, ticker: state.ticker }, language)}</p>${about}</section>
<section class="panel" aria-labelledby="title"><div class="head"><h1 id="title">${title}</h1></div>${form(state, words, language, inLanguage(language))}</section></main>`
      : html`<main class="alone"><section class="panel plain" aria-labelledby="title"><div class="head"><span class="badge">${ICONS.clock}</span><h1 id="title">${title}</h1></div>${about}<p>${words[WHY[state.why]](seller.name)}</p>${unfinished(state, words, language)}</section></main>`
  return documentOf({ language, title, seller, main, inLanguage, refreshSeconds: undefined, script: undefined })
}

/** The way back to the browser's own invoice. */
const unfinished = (
  { open }: { open?: OpenInvoice | undefined },
  words: Words,
  language: Language,
): Markup | undefined =>
  open &&
  note(
    'calm',
    ICONS.clock,
    words.linkOpen(amountText(open, language)),
    html`<a href="${open.url}">${words.linkReturn}</a>`,
  )

const form = (state: LinkForm, words: Words, language: Language, action: string): Markup => {
  const { problem, isCard, key } = state
  const text = problem === undefined ? undefined : problemOf(state, problem, words, language)
  return html`<form method="post" action="${action}" novalidate><input type="hidden" name="key" value="${key}">
${problem === undefined && unfinished(state, words, language)}${text !== undefined && html`<div role="alert">${note('bad', ICONS.alert, html`<strong>${words.problem}</strong>`, problem === 'old' || state.amount !== undefined ? text : html`<a href="#value">${text}</a>`)}</div>`}
${state.amount === undefined && entry(state, words, language)}<p class="soft">${isCard ? words.cardNote : words.linkNext}</p><button>${words.proceed}</button>${state.open && html`<button class="second" name="another" value="1">${words.linkAnother}</button>`}</form>`
}

const shown = (value: string, { ticker }: LinkForm, language: Language): string =>
  amountText({ value, ticker }, language)

const problemOf = (
  state: LinkForm,
  problem: NonNullable<LinkForm['problem']>,
  words: Words,
  language: Language,
): string => {
  if (problem === 'old') return words.linkFormOld
  if (problem === 'limits') return limitsOf(state, words, language) ?? words.valueMalformed
  return problem === 'missing' ? words.valueMissing : words.valueMalformed
}

const limitsOf = (state: LinkForm, words: Words, language: Language): string | undefined => {
  const { least, most } = state
  if (least === undefined) return most === undefined ? undefined : words.atMost(shown(most, state, language))
  if (most === undefined) return words.atLeast(shown(least, state, language))
  return words.limits(shown(least, state, language), shown(most, state, language))
}

const entry = (state: LinkForm, words: Words, language: Language): Markup => {
  const { ticker, problem, given = state.open?.value } = state
  const hint = limitsOf(state, words, language)
  const problemText =
    problem === undefined || problem === 'old' ? undefined : problemOf(state, problem, words, language)
  const wrong = problemText !== undefined
  const describedBy = [...(wrong ? ['value-problem'] : []), ...(hint === undefined ? [] : ['value-hint'])]
  return html`<div class="field"><label class="name" for="value">${words.amountIn(ticker)}</label>
${wrong && html`<p class="wrong" id="value-problem">${problemText}</p>`}<input type="text" id="value" name="value" inputmode="decimal" autocomplete="off" maxlength="50" required value="${given ?? ''}" aria-invalid="${String(wrong)}"${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`}>${hint !== undefined && html`<p class="soft" id="value-hint">${hint}</p>`}</div>`
}
