import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import type { Catalogue } from '../../market/assets/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { amountMarkup, toneTag, type Scope } from '../frame/index.ts'
import { REFUNDS } from './deps.ts'
import type { RefundStatus } from './refund.ts'
import { REFUND_WORDS, type RefundWords } from './words/index.ts'

export const textsOf = ({ language }: Pick<Scope, 'language'>): RefundWords => REFUND_WORDS[language]

const TONES = { open: 'warn', underway: 'warn', done: 'good', refused: 'bad' } as const satisfies Record<
  RefundStatus,
  string
>

/** The state of a refund in words. @param hasFailed a claim whose withdrawal has failed waits for a decision again */
export const statusTag = (scope: Scope, status: RefundStatus, hasFailed: boolean): Markup => {
  const { statuses, failedBefore } = textsOf(scope)
  return toneTag(TONES[status], hasFailed ? failedBefore : statuses[status])
}

/** An amount in ledger units; a dash for an asset that the installation serves no more. */
export const amountPiece = (scope: Scope, catalogue: Catalogue, ticker: string, units: bigint): Piece => {
  const asset = catalogue.find(ticker)
  return asset === undefined ? '–' : amountMarkup(scope, { value: formatUnits(units, asset.scale), ticker })
}

/** The link to all refunds. */
export const backPiece = (scope: Scope): Markup =>
  html`<a href="${linkTo(scope.visit, merchantPath(scope.merchantId, REFUNDS))}">${textsOf(scope).back}</a>`

/** Problems of a form, all at once. `detail` is a text of the program, in English. */
export interface Problem {
  text: string
  detail?: string
}

export const problemsPiece = (problems: readonly Problem[]): Piece =>
  problems.length > 0 &&
  html`<div role="alert">${note(
    'bad',
    ICONS.alert,
    ...problems.map(
      ({ text, detail }) => html`${text}${detail !== undefined && html` <span lang="en">${foreign(detail)}</span>`}`,
    ),
  )}</div>`
