import { amountText } from '@bursar/checkout'
import { html, type Markup } from '@bursar/checkout/html'
import type { Scope } from './scope.ts'

/** Characters of an amount that has a phone's line beside a name. */
const BESIDE = 16
/** Characters of an amount that has a phone's line in the usual size. */
const ALONE = 24

/**
 * An amount that no line breaks: neither its digits nor its ticker. A longer one has a line of a phone's list alone.
 * The longest ones are smaller, and may have their ticker on the next line.
 */
export const amountMarkup = (
  { language }: Pick<Scope, 'language'>,
  amount: { value: string; ticker: string },
): Markup => {
  const text = amountText(amount, language)
  if (text.length <= BESIDE) return html`<span class="amount">${text}</span>`
  if (text.length <= ALONE) return html`<span class="amount long">${text}</span>`
  const end = `\u00a0${amount.ticker}`
  if (!text.endsWith(end)) return html`<span class="amount long small">${text}</span>`
  return html`<span class="long small"><span class="amount">${text.slice(0, -end.length)}</span> <span class="amount">${amount.ticker}</span></span>`
}
