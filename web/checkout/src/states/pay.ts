import { html, type Markup } from '../html.ts'
import { ICONS } from '../icons.ts'
import type { Panel, Scene } from '../panel.ts'
import { copyButton, note, progress, seenPayments } from '../parts.ts'
import { qrImage } from '../qr.ts'
import type { PayState } from '../view.ts'
import { exchange } from './exchange.ts'

/** Where no scripts run, the page reloads at this interval, in s: a payer has the time to type a fee. */
const RELOADS_AFTER_S = 60

/** The state that shows where, how much and until when to pay; or, when the rate is over, how to get a new one. */
export const payPanel = (scene: Scene<PayState>): Panel => {
  const { state, words } = scene
  const shared = {
    step: 1,
    changes: true,
    until: deadline(scene),
    reloadsAfterS: RELOADS_AFTER_S,
    needsHelp: state.payments.some(({ status }) => status === 'refused'),
  } as const
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

/** The nearer one of the end of the rate and the end of the invoice; a rate that is over is no deadline. */
const deadline = ({ state, words }: Scene<PayState>): Panel['until'] => {
  const { until, quote } = state
  if (quote !== undefined && !quote.over && (until === undefined || quote.until < until))
    return { at: quote.until, label: words.rateHolds }
  return until === undefined ? undefined : { at: until, label: words.timeLeft }
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
  const { to, missing, send } = state
  const amount = scene.amount({ value: send, ticker: to.ticker })
  return html`${arrived(scene)}
${note('warn', ICONS.alert, html`<strong>${words.warning(`${to.assetName} (${to.ticker})`, to.networkName)}</strong>`, words.warningLost)}
<div class="way">${wallet(scene)}<div class="rows">
<div class="item"><p class="soft">${words.sendExactly}</p><p class="exact">${amount}</p>${copyButton(scene, send, words.copyAmount)}${send !== missing && html`<p class="soft">${words.leastSent(amount)}</p>`}</div>
<div class="item long"><p class="soft">${words.toAddress}</p>${copyButton(scene, to.address, words.copyAddress)}<p class="address">${marked(to.address)}</p></div>
<div class="pair"><span class="soft">${words.network}</span><strong>${to.networkName}</strong></div>
</div>${codes(scene, amount)}</div>
${exchange(scene)}
${seenPayments(scene, state.payments)}
<div class="note"><span class="pulse"></span><p>${words.waitingForPayment}</p></div>`
}

/** Highlights the first and last characters, because people compare those. */
const marked = (address: string): Markup =>
  html`<b>${address.slice(0, 6)}</b>${address.slice(6, -6)}<b>${address.slice(-6)}</b>`

/**
 * The link that opens a wallet: the first thing on a phone. On other screens it is shown for coins only, because few
 * desktops have a wallet that reads a token's link, and the QR code is beside it.
 */
const wallet = ({ state, words }: Scene<PayState>): Markup | undefined => {
  const { wallet: link, isToken } = state.to
  if (!link) return undefined
  const { href, app } = link
  return html`<div class="wallet ${isToken || app !== undefined ? 'touch' : ''}"><a class="button ${app !== undefined && 'second'}" href="${href}">${app === undefined ? words.openWallet : words.openIn(app)}</a>${isToken && app === undefined && html`<p class="soft">${words.mayBeMisread}</p>`}</div>`
}

/** The QR codes. On a touch screen they are folded: the device that shows a code can't scan it. */
const codes = (scene: Scene<PayState>, amount: string): Markup => {
  const {
    state: { to },
    words,
  } = scene
  const pictures = picturesOf(scene, amount)
  if (!to.wallet) return html`<div class="codes">${pictures}</div>`
  return html`<div class="codes"><div class="codes wide">${pictures}</div><details class="touch"><summary>${words.otherDevice}</summary><div class="codes">${pictures}</div></details></div>`
}

const picturesOf = ({ state: { to }, words }: Scene<PayState>, amount: string): Markup => {
  const plain = qrImage(to.address, words.qrAddress)
  const scan = html`<p class="soft">${words.scan}</p>`
  if (to.uri === undefined) return html`${scan}${plain}`
  const whole = qrImage(to.uri, words.qrPayment(amount))
  if (!to.isToken) return html`${scan}${whole}<details><summary>${words.codeAddressOnly}</summary>${plain}</details>`
  return html`${scan}${plain}
<details><summary>${words.codeWithAmount}</summary><p class="soft">${words.mayBeMisread}</p>${whole}</details>`
}
