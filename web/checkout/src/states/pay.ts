import { html, type Markup } from '../html.ts'
import { ICONS } from '../icons.ts'
import type { Panel, Scene } from '../panel.ts'
import { copyButton, countdown, note, progress, seenPayments } from '../parts.ts'
import { qrImage } from '../qr.ts'
import type { PayState } from '../view.ts'

/** The state that shows where, how much and until when to pay; or, when the rate is over, how to get a new one. */
export const payPanel = (scene: Scene<PayState>): Panel => {
  const { state, words } = scene
  const shared = { step: 1, changes: true, until: state.until } as const
  if (state.quote?.over === true) {
    return {
      ...shared,
      title: state.ratesAway ? words.ratesAwayTitle : words.rateOverTitle,
      tone: 'warn',
      icon: ICONS.clock,
      body: requote(scene),
    }
  }
  const part = state.payments.length > 0
  return {
    ...shared,
    title: part ? words.restTitle : words.payTitle,
    tone: 'plain',
    icon: undefined,
    body: destination(scene),
  }
}

const requote = (scene: Scene<PayState>): Markup => {
  const { state, words, action } = scene
  return html`<p>${state.ratesAway ? words.ratesAway : words.rateOver}</p>
<form method="post" action="${action}"><button name="do" value="requote">${state.ratesAway ? words.tryAgain : words.newRate}</button></form>${seenPayments(scene, state.payments)}`
}

const arrived = (scene: Scene<PayState>): Markup | undefined => {
  const {
    state: { payments, paid, missing, asked },
    words,
  } = scene
  if (payments.length === 0) return undefined
  const text = words.partly(
    scene.amount({ value: paid, ticker: asked.ticker }),
    scene.amount({ value: missing, ticker: asked.ticker }),
  )
  return html`<div class="field"><p><strong>${text}</strong></p>${progress(paid, asked.value)}</div>`
}

const destination = (scene: Scene<PayState>): Markup => {
  const { state, words } = scene
  const { to, missing, send, quote } = state
  const amount = scene.amount({ value: send, ticker: to.ticker })
  return html`${arrived(scene)}
${note('warn', ICONS.alert, html`<strong>${words.warning(`${to.assetName} (${to.ticker})`, to.networkName)}</strong>`, words.warningLost)}
<div class="way"><div class="rows">
<div class="item"><p class="soft">${words.sendExactly}</p><p class="exact">${amount}</p>${copyButton(scene, send, words.copyAmount)}${send !== missing && html`<p class="soft">${words.leastSent(amount)}</p>`}</div>
<div class="item long"><p class="soft">${words.toAddress}</p>${copyButton(scene, to.address, words.copyAddress)}<p class="address">${marked(to.address)}</p></div>
<div class="pair"><span class="soft">${words.network}</span><strong>${to.networkName}</strong></div>
${quote && html`<div class="pair"><span class="soft">${words.rateHolds}</span><strong>${countdown(scene, quote.until)}</strong></div>`}
</div>${codes(scene, amount)}</div>
<p class="soft">${words.exchangeFee}</p>
${seenPayments(scene, state.payments)}
<div class="note"><span class="pulse"></span><p>${words.waitingForPayment}</p></div>`
}

/** Highlights the first and last characters, because people compare those. */
const marked = (address: string): Markup =>
  html`<b>${address.slice(0, 6)}</b>${address.slice(6, -6)}<b>${address.slice(-6)}</b>`

const codes = (scene: Scene<PayState>, amount: string): Markup => {
  const {
    state: { to },
    words,
  } = scene
  const plain = qrImage(to.address, words.qrAddress)
  if (to.uri === undefined) return html`<div class="codes"><p class="soft">${words.scan}</p>${plain}</div>`
  const whole = qrImage(to.uri, words.qrPayment(amount))
  const wallet = html`<a class="button second" href="${to.uri}">${words.openWallet}</a>`
  if (!to.isToken) {
    return html`<div class="codes">${wallet}<p class="soft">${words.scan}</p>${whole}<details><summary>${words.codeAddressOnly}</summary>${plain}</details></div>`
  }
  return html`<div class="codes"><p class="soft">${words.scan}</p>${plain}
<details><summary>${words.codeWithAmount}</summary><p class="soft">${words.codeMayBeMisread}</p>${whole}${wallet}</details></div>`
}
