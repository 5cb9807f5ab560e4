import { amountText } from '@bursar/checkout'
import { html, type Markup } from '@bursar/checkout/html'
import type { Scope } from './scope.ts'

/** An amount in a table or a list. A long one is broken before its ticker or in its digits, never in the ticker. */
export const amountMarkup = (
  { language }: Pick<Scope, 'language'>,
  amount: { value: string; ticker: string },
): Markup => {
  const text = amountText(amount, language)
  const { ticker } = amount
  if (!text.endsWith(`\u00a0${ticker}`)) return html`${text}`
  return html`${text.slice(0, -1 - ticker.length)} <span class="unit">${ticker}</span>`
}
