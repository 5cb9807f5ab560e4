import { amountText } from '@bursar/checkout'
import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import type { RequestState } from '../../pay-out/requests/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { linkTo, merchantPath, provePanel, type Visit } from '../../people/pages/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { amountMarkup, toneTag, type Scope } from '../frame/index.ts'
import { PAYOUTS, type PayoutPagesDeps } from './deps.ts'
import { PAYOUT_WORDS, type PayoutWords, type RequestStatus } from './words/index.ts'

export const textsOf = ({ language }: Pick<Scope, 'language'>): PayoutWords => PAYOUT_WORDS[language]

const valueOf = (catalogue: Catalogue, ticker: string, units: bigint): { value: string; ticker: string } => ({
  value: formatUnits(units, catalogue.find(ticker)?.scale ?? 0),
  ticker,
})

/** An amount by itself, which no line breaks. */
export const amountOf = (scope: Pick<Scope, 'language'>, catalogue: Catalogue, ticker: string, units: bigint): Markup =>
  amountMarkup(scope, valueOf(catalogue, ticker, units))

/** An amount in a sentence. */
export const amountIn = (
  { language }: Pick<Scope, 'language'>,
  catalogue: Catalogue,
  ticker: string,
  units: bigint,
): string => amountText(valueOf(catalogue, ticker, units), language)

/** A request that waits until its time has expired. */
export const statusOf = ({ state, expiresAt }: { state: RequestState; expiresAt: Date }, now: Date): RequestStatus =>
  state === 'waiting' && expiresAt <= now ? 'expired' : state

const TONES = {
  waiting: 'warn',
  expired: 'calm',
  placing: 'warn',
  placed: 'good',
  refused: 'bad',
  withdrawn: 'calm',
  failed: 'bad',
} as const satisfies Record<RequestStatus, string>

export const statusTag = (status: RequestStatus, { statuses }: PayoutWords): Markup =>
  toneTag(TONES[status], statuses[status])

/** The result of a form. `detail` is a text of the API, in English. */
export interface Said {
  isProblem: boolean
  text: string
  detail?: string
}

/** The result of a form that has led back to the page. */
export const doneIn = (scope: Scope): Said | undefined => {
  const { done, proved } = scope.request.query
  return done === undefined && proved === undefined ? undefined : { isProblem: false, text: textsOf(scope).saidDone }
}

/** The link to all requests. */
export const backPiece = (scope: Scope): Markup =>
  html`<a href="${linkTo(scope.visit, merchantPath(scope.merchantId, PAYOUTS))}">${textsOf(scope).back}</a>`

export const saidPiece = (said: Said | undefined): Piece =>
  said &&
  html`<div role="${said.isProblem ? 'alert' : 'status'}">${note(
    said.isProblem ? 'bad' : 'good',
    said.isProblem ? ICONS.alert : ICONS.check,
    said.text,
    ...(said.detail === undefined ? [] : [html`<span lang="en">${foreign(said.detail)}</span>`]),
  )}</div>`

/** An address in a line of its own, which breaks on a narrow screen. */
export const addressPiece = (address: string): Markup => html`<span class="hash">${foreign(address)}</span>`

/** The forms of a proof that return to this page; undefined while a proof is recent, and without a session. */
export const provingPiece = async (
  deps: PayoutPagesDeps,
  visit: Visit,
  next: string,
  draft: Readonly<Record<string, string>> = {},
): Promise<Markup | undefined> => {
  const { session } = visit
  return session && provePanel(deps, { ...visit, session }, { next, draft })
}
