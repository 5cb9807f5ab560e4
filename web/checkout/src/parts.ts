import { clockText, timeText } from './amounts.ts'
import { html, type Markup, type Piece } from './html.ts'
import { ICONS } from './icons.ts'
import { outsideLink } from './links.ts'
import type { Scene } from './panel.ts'
import type { Received } from './view.ts'

/** Parts of the page that several states share. */

export const note = (tone: 'warn' | 'bad' | 'good' | 'calm', icon: Markup, ...lines: readonly Piece[]): Markup =>
  html`<div class="note ${tone}">${icon}<div>${lines.map((line) => html`<p>${line}</p>`)}</div></div>`

/** A list of terms with their values. */
export const facts = (pairs: readonly (readonly [string, Piece] | undefined)[]): Markup =>
  html`<dl class="rows">${pairs.map((pair) => pair && html`<div class="pair"><dt>${pair[0]}</dt><dd>${pair[1]}</dd></div>`)}</dl>`

/** A copy button; it is visible only where scripts run. */
export const copyButton = ({ words }: Scene, text: string, label: string): Markup =>
  html`<button class="second copy" type="button" hidden data-copy="${text}" data-done="${words.copied}" aria-label="${label}">${ICONS.copy}<span>${words.copy}</span></button>`

/**
 * The time left when the page is rendered, which the script shows and counts on; where no scripts run, the time of the
 * end. The clock is hidden by an attribute, because older browsers lack the CSS condition `scripting: none`.
 */
export const countdown = ({ view, words, language }: Scene, until: number): Markup => {
  const left = Math.max(0, until - view.now)
  return html`<span data-left="${left}" hidden>${clockText(left)}</span><noscript> ${words.untilTime(timeText(until, language))}</noscript>`
}

/**
 * The way back to the shop from an invoice that ended without a payment: the shop's site, because its page for after
 * the payment (`returnTo`) may thank the payer; that page only if there is no site.
 */
export const backToShop = ({ view, words }: Scene, look: 'plain' | 'second'): Markup | undefined => {
  const link = outsideLink(view.seller.url) ?? outsideLink(view.returnTo)
  if (link === undefined) return undefined
  return html`<div class="actions"><a class="button ${look}" href="${link}" rel="noreferrer">${words.backTo(view.seller.name)}</a></div>`
}

/** Payments that were seen, newest last. */
export const seenPayments = (scene: Scene, payments: readonly Received[]): Markup | undefined => {
  const { words } = scene
  if (payments.length === 0) return undefined
  return html`<section><h2>${words.payments}</h2><ul class="seen">${payments.map(
    (one) =>
      html`<li><span>${scene.amount(one)}<br>${one.hash !== undefined && html`<span class="hash">${shortHash(one.hash)}</span>`}</span><span class="soft">${statusText(scene, one)}</span></li>`,
  )}</ul></section>`
}

const statusText = ({ words }: Scene, { status, confirmations, needed }: Received): string => {
  switch (status) {
    case 'credited':
      return words.confirmed
    case 'lost':
      return words.didNotArrive
    case 'checking':
      return words.beingChecked
    case 'refused':
      return words.notAccepted
    case 'tooSmall':
      return words.tooSmall
    case 'waiting':
      return needed === undefined ? words.waitsForNetwork : words.confirmations(Math.min(confirmations, needed), needed)
  }
}

const shortHash = (hash: string): string => (hash.length <= 20 ? hash : `${hash.slice(0, 10)}…${hash.slice(-8)}`)

/** A bar that shows one amount as a part of another; both are decimals of one ticker. */
export const progress = (part: string, whole: string): Markup => {
  const share = Math.max(1, Math.min(100, Math.floor(shareOf(part, whole))))
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${share}" height="1"/></svg>`
}

/** Per cent, for drawing only, so rounding is acceptable. */
const shareOf = (part: string, whole: string): number => (Number(whole) > 0 ? (Number(part) / Number(whole)) * 100 : 0)
