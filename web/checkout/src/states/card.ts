import { foreign, html, type Markup } from '../html.ts'
import { ICONS } from '../icons.ts'
import { acquirerLink } from '../links.ts'
import type { Panel, Scene } from '../panel.ts'
import { backToShop, note } from '../parts.ts'
import type { CardRefusal, CheckingState, FailedState, LeavingState, ReceivedState, WaitingState } from '../view.ts'
import type { Words } from '../words/index.ts'

/** The state in which the acquirer is asked for its page. */
export const waitingPanel = ({ words }: Scene<WaitingState>): Panel => ({
  title: words.waitingTitle,
  step: 1,
  tone: 'wait',
  icon: ICONS.turn,
  changes: true,
  body: html`<p>${words.waiting}</p>`,
})

/** The state that sends the payer to the acquirer's page, automatically where scripts run. */
export const leavingPanel = ({ state, words }: Scene<LeavingState>): Panel => {
  const url = acquirerLink(state.url)
  return {
    title: words.leavingTitle,
    step: 1,
    tone: 'plain',
    icon: ICONS.leave,
    changes: true,
    formTo: url.origin,
    body: html`<p>${words.leaving(url.host)}</p>${way(state, words.leave, 'plain', true)}`,
  }
}

type Way = Pick<LeavingState, 'method' | 'url' | 'fields'>

/** A link or a form to the acquirer's page. `goes`: the script follows it. */
const way = ({ method, url, fields }: Way, label: string, look: 'plain' | 'second', goes: boolean): Markup => {
  const href = acquirerLink(url).href
  const mark = goes ? 'yes' : 'no'
  if (method === 'GET')
    return html`<a class="button ${look}" href="${href}" rel="noreferrer" data-leave="${mark}">${label}</a>`
  return html`<form method="post" action="${href}" data-leave="${mark}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${look}">${label}</button></form>`
}

/** The state after the payer was at the acquirer, while the outcome is unknown. */
export const checkingPanel = ({ state, words }: Scene<CheckingState>): Panel => ({
  title: words.checkingTitle,
  step: 1,
  tone: 'wait',
  icon: ICONS.turn,
  changes: true,
  formTo: state.back && acquirerLink(state.back.url).origin,
  body: html`<p>${words.checking}</p>${state.back && way(state.back, words.backToBank, 'second', false)}`,
})

/** The state in which money has arrived and is being checked: paying again would be a second payment. */
export const receivedPanel = (scene: Scene<ReceivedState>): Panel => {
  const { words, view } = scene
  return {
    title: words.receivedTitle,
    step: undefined,
    tone: 'warn',
    icon: ICONS.clock,
    changes: true,
    needsHelp: true,
    body: html`<p>${words.received(view.seller.name)}</p>${backToShop(scene, 'second')}`,
  }
}

const REFUSALS = {
  declined: 'refusedDeclined',
  funds: 'refusedFunds',
  expired: 'refusedExpired',
  blocked: 'refusedBlocked',
  details: 'refusedDetails',
  unsupported: 'refusedUnsupported',
  limit: 'refusedLimit',
  confirmation: 'refusedConfirmation',
  cancelled: 'refusedCancelled',
  late: 'refusedLate',
  security: 'refusedSecurity',
  unavailable: 'refusedUnavailable',
} as const satisfies Record<CardRefusal, keyof Words>

/** The state of a failed payment. It says that the card was not charged only when that is known. */
export const failedPanel = (scene: Scene<FailedState>): Panel => {
  const { state, words, action, view } = scene
  return {
    title: state.charged === 'no' ? words.failedTitle : words.failedUnknownTitle,
    step: 1,
    tone: 'bad',
    icon: ICONS.cross,
    changes: true,
    needsHelp: true,
    body: html`<p>${state.charged === 'no' ? words.failed : words.failedUnknown(view.seller.name)}</p>${state.why !== undefined && note('calm', ICONS.alert, words[REFUSALS[state.why]])}${state.reason !== undefined && html`<details><summary>${words.failedReason}</summary><p class="soft">${foreign(state.reason)}</p></details>`}
${state.canRetry && html`<form method="post" action="${action}"><button name="do" value="retry">${words.tryAgain}</button></form>`}${backToShop(scene, state.canRetry ? 'second' : 'plain')}`,
  }
}
