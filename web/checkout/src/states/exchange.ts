import { LONGEST_FEE, plusFee } from '../amounts.ts'
import { html, type Markup } from '../html.ts'
import type { Scene } from '../panel.ts'
import { copyButton } from '../parts.ts'
import type { PayState } from '../view.ts'

/**
 * For payers at an exchange: many exchanges take their fee out of the amount that is typed there, so that less arrives.
 * The payer enters the fee that the exchange shows, and the page shows the amount to type. The form loads the page
 * again and changes nothing.
 */
export const exchange = (scene: Scene<PayState>): Markup => {
  const { view, state, words, language } = scene
  const { ticker } = state.to
  const fee = view.exchangeFee
  const sum = fee === undefined ? undefined : plusFee(state.send, fee)
  const isWrong = fee !== undefined && sum === undefined
  const hidden = Object.entries({ ...view.keep, lang: language })
    .filter(([name]) => name !== 'fee')
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const body = html`<p class="soft">${words.exchangeText(scene.amount({ value: state.send, ticker }))}</p>
<form method="get" action="${view.path}#exchange" novalidate>${hidden}<div class="field"><label class="name" for="fee">${words.exchangeFee(ticker)}</label>
<input type="text" id="fee" name="fee" inputmode="decimal" autocomplete="off" maxlength="${LONGEST_FEE}" value="${fee ?? ''}" aria-invalid="${String(isWrong)}" aria-describedby="fee-hint">
<p class="${isWrong ? 'wrong' : 'soft'}" id="fee-hint">${isWrong ? words.valueMalformed : words.exchangeFeeHint}</p></div>
<button class="second">${words.exchangeCount}</button></form>${sum !== undefined && typed(scene, sum)}`
  const summary = html`<summary>${words.exchangeTitle}</summary>`
  return fee === undefined
    ? html`<details id="exchange">${summary}<div class="fold">${body}</div></details>`
    : html`<details id="exchange" open>${summary}<div class="fold">${body}</div></details>`
}

const typed = (scene: Scene<PayState>, sum: string): Markup =>
  html`<div class="item"><p class="soft">${scene.words.exchangeTyped}</p><p class="exact">${scene.amount({ value: sum, ticker: scene.state.to.ticker })}</p>${copyButton(scene, sum, scene.words.copyAmount)}</div>`
