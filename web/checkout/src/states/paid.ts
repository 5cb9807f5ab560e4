import { timeText } from '../amounts.ts'
import { foreign, html } from '../html.ts'
import { ICONS } from '../icons.ts'
import { outsideLink } from '../links.ts'
import type { Panel, Scene } from '../panel.ts'
import { facts, note, seenPayments } from '../parts.ts'
import type { ConfirmingState, PaidState } from '../view.ts'

const RETURN_AFTER_S = 20

/** The state in which enough was seen, and the network has to make it final. */
export const confirmingPanel = (scene: Scene<ConfirmingState>): Panel => {
  const { state, words, view } = scene
  return {
    title: words.confirmingTitle,
    step: 1,
    tone: 'wait',
    icon: ICONS.turn,
    changes: true,
    needsHelp: state.payments.some(({ status }) => status === 'refused'),
    body: html`<p>${words.confirming}</p>${state.short !== undefined && note('calm', ICONS.check, words.enough(scene.amount({ value: state.short, ticker: state.asked.ticker }), view.seller.name))}${seenPayments(scene, state.payments)}`,
  }
}

/** The state of a paid invoice. */
export const paidPanel = (scene: Scene<PaidState>): Panel => {
  const { state, words, view, language } = scene
  const company = view.seller.name
  const back = outsideLink(view.returnTo)
  const site = outsideLink(view.seller.url)
  const isBack = state.givenBack === state.paid.value
  const body = html`${!isBack && html`<p>${state.closed ? words.closed(company) : words.paid(company)}</p>`}
${state.over !== undefined && note('warn', ICONS.alert, words.over(scene.amount({ value: state.over, ticker: state.paid.ticker }), company))}
${state.givenBack !== undefined && note('calm', ICONS.check, words.givenBack(scene.amount({ value: state.givenBack, ticker: state.paid.ticker })))}
${facts([
  [words.amountPaid, scene.amount(state.paid)],
  state.asked.value === state.paid.value && state.asked.ticker === state.paid.ticker
    ? undefined
    : [words.amountAsked, scene.amount(state.asked)],
  state.card === undefined ? undefined : [words.card, state.card],
  [words.date, timeText(state.when, language)],
  [words.invoice, foreign(view.name)],
])}
${seenPayments(scene, state.payments)}
<div class="actions">${
    back === undefined
      ? site !== undefined && html`<a class="button" href="${site}" rel="noreferrer">${words.backTo(company)}</a>`
      : html`<a class="button" href="${back}" rel="noreferrer">${words.backTo(company)}</a>${
          state.givenBack === undefined &&
          html`
<p class="soft again" hidden data-return="${back}" data-after="${RETURN_AFTER_S}" data-words="${words.returning(0)}"><span></span> <button class="second copy" type="button">${words.stay}</button></p>`
        }`
  }
${state.receipt !== undefined && html`<a class="button second" href="${state.receipt}?lang=${language}">${words.receipt}</a>`}</div>`
  return {
    title: isBack ? words.givenBackTitle : words.paidTitle,
    step: 2,
    tone: 'good',
    icon: ICONS.check,
    changes: false,
    needsHelp: state.over !== undefined,
    body,
  }
}
