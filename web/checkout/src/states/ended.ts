import { html, type Markup } from '../html.ts'
import { ICONS } from '../icons.ts'
import type { Panel, Scene } from '../panel.ts'
import { backToShop, facts, note, progress, seenPayments } from '../parts.ts'
import { problemText } from '../problems.ts'
import type { Claim, ExpiredState, LateState, UnderpaidState } from '../view.ts'

/** The state of an invoice that expired without a payment. */
export const expiredPanel = (scene: Scene<ExpiredState>): Panel => {
  const { words, view } = scene
  return {
    title: words.expiredTitle,
    step: undefined,
    tone: 'bad',
    icon: ICONS.clock,
    changes: true,
    needsHelp: true,
    body: html`<p>${words.expired(view.seller.name)}</p>${backToShop(scene, 'plain')}`,
  }
}

/** The state of an expired invoice for which money arrived late. */
export const latePanel = (scene: Scene<LateState>): Panel => {
  const { state, words, view } = scene
  return {
    title: words.lateTitle,
    step: undefined,
    tone: 'warn',
    icon: ICONS.clock,
    changes: true,
    needsHelp: true,
    body: html`<p>${words.late(scene.amount(state.paid), view.seller.name)}</p>${seenPayments(scene, state.payments)}${backToShop(scene, 'second')}`,
  }
}

/** The state of an expired invoice that was paid in part: the holder of the claim link decides about the money. */
export const underpaidPanel = (scene: Scene<UnderpaidState>): Panel => {
  const { state, words } = scene
  const { claim, asked } = state
  const money = (value: string): string => scene.amount({ value, ticker: asked.ticker })
  const sums = html`<div class="field">${progress(state.paid, asked.value)}</div>
${facts([
  [words.amountAsked, money(asked.value)],
  [words.amountPaid, money(state.paid)],
  [words.amountMissing, money(state.missing)],
])}`
  const rest =
    typeof claim === 'string'
      ? note(
          'calm',
          ICONS.leave,
          claim === 'mailed' ? words.underpaidMailed : words.underpaidSeller(scene.view.seller.name),
        )
      : claimBody(scene, claim, money(state.missing))
  return {
    title: words.underpaidTitle,
    step: undefined,
    tone: 'warn',
    icon: ICONS.half,
    changes: true,
    needsHelp: true,
    body: html`${sums}${rest}${seenPayments(scene, state.payments)}${backToShop(scene, 'second')}`,
  }
}

const claimBody = (scene: Scene<UnderpaidState>, claim: Claim, missing: string): Markup => {
  const { words, action } = scene
  if (claim.refund) return refundState(scene, claim.refund)
  const wrong = claim.problem?.field === 'address'
  return html`<p>${claim.canPayRest ? words.underpaidChoose : words.underpaidRefund}</p>
${claim.canPayRest && html`<form method="post" action="${action}"><button name="do" value="payRest">${words.payRest(missing)}</button></form>`}
<form method="post" action="${action}" novalidate><h2>${words.refundTitle}</h2>
${claim.problem && html`<div role="alert">${note('bad', ICONS.alert, problemText(scene, claim.problem))}</div>`}
<div class="field"><label class="name" for="address">${words.refundAddress(claim.networkName)}</label>
<input type="text" id="address" name="address" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="128" required value="${claim.given?.address ?? ''}" aria-invalid="${String(wrong)}" aria-describedby="address-hint">
<p class="soft" id="address-hint">${words.refundHint}</p></div>
<button class="second" name="do" value="refund">${words.refund}</button></form>`
}

const refundState = (
  { words, view }: Scene<UnderpaidState>,
  { status, address, hash }: NonNullable<Claim['refund']>,
): Markup => {
  const to = html`${words.refundTo}: <span class="address">${address}</span>`
  if (status === 'sent')
    return note(
      'good',
      ICONS.check,
      words.refundSent,
      to,
      ...(hash === undefined ? [] : [html`${words.transaction}: <span class="address">${hash}</span>`]),
    )
  if (status === 'onItsWay') return note('good', ICONS.clock, words.refundOnItsWay, to)
  if (status === 'failed') return note('calm', ICONS.alert, words.refundFailed(view.seller.name), to)
  if (status === 'refused') return note('bad', ICONS.cross, words.refundRefused(view.seller.name))
  return note('calm', ICONS.clock, words.refundAsked, to)
}
