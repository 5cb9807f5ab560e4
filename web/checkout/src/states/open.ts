import { html, type Markup } from '../html.ts'
import { ICONS } from '../icons.ts'
import type { Panel, Scene } from '../panel.ts'
import { note } from '../parts.ts'
import { problemText } from '../problems.ts'
import type { OpenState, PaymentOption } from '../view.ts'

/** The state in which the payer enters the values that the merchant did not set, and continues. */
export const openPanel = (scene: Scene<OpenState>): Panel => {
  const { state, words, view } = scene
  const title =
    state.options.length < 2 ? words.openTitle : isCurrency(state) ? words.chooseCurrency : words.chooseTitle
  if (state.ratesAway) {
    return {
      title: words.ratesAwayTitle,
      step: 0,
      tone: 'wait',
      icon: ICONS.clock,
      changes: true,
      until: { at: state.until, label: words.timeLeft },
      body: html`<p>${words.ratesAway}</p><a class="button" href="${scene.action}">${words.tryAgain}</a>`,
    }
  }
  return {
    title,
    step: 0,
    tone: 'plain',
    icon: undefined,
    changes: false,
    until: { at: state.until, label: words.timeLeft },
    body: form(scene, view.kind === 'fiat'),
  }
}

/** Currencies are options without a network. */
const isCurrency = ({ options }: OpenState): boolean => options.every(({ blockchain }) => blockchain === '')

const form = (scene: Scene<OpenState>, isFiat: boolean): Markup => {
  const { state, words, action } = scene
  const priced = !isFiat && state.options.some(({ about }) => about !== undefined)
  return html`<form method="post" action="${action}" novalidate>
${state.problem && html`<div role="alert">${note('bad', ICONS.alert, html`<strong>${words.problem}</strong>`, problemText(scene, state.problem))}</div>`}
${choices(scene)}${amountEntry(scene)}${emailEntry(scene)}
${priced && html`<p class="soft">${words.priceFixedLater}</p>`}${isFiat && html`<p class="soft">${words.cardNote}</p>`}
<button name="do" value="proceed">${words.proceed}</button></form>`
}

const choices = (scene: Scene<OpenState>): Markup | undefined => {
  const {
    state: { options, given, problem },
    words,
  } = scene
  const [only] = options
  if (only === undefined) return undefined
  if (options.length === 1)
    return html`<input type="hidden" name="choice" value="${valueOf(only)}">${note('calm', ICONS.leave, html`<strong>${only.assetName} (${only.ticker})</strong>`, only.networkName !== '' && words.onNetwork(only.networkName))}`
  const wrong = problem?.field === 'choice'
  if (isCurrency(scene.state))
    return html`<fieldset><legend class="unseen">${words.chooseCurrency}</legend><div class="choices">${options.map((option) => choice(scene, option, given?.choice === valueOf(option), wrong))}</div></fieldset>`
  return html`<fieldset aria-describedby="choose"><legend class="unseen">${words.chooseTitle}</legend><p class="soft" id="choose">${words.chooseHint}</p>
<div class="choices">${options.map((option) => choice(scene, option, given?.choice === valueOf(option), wrong))}</div></fieldset>`
}

const valueOf = ({ ticker, blockchain }: PaymentOption): string => `${ticker}:${blockchain}`

const choice = (scene: Scene<OpenState>, option: PaymentOption, checked: boolean, wrong: boolean): Markup => {
  const { words } = scene
  const { ticker, assetName, networkName, about, exact } = option
  const far =
    exact !== undefined
      ? scene.amount({ value: exact, ticker })
      : about === undefined
        ? limitsOf(scene, option)
        : words.about(scene.amount({ value: about, ticker }))
  return html`<label class="choice">${radio(valueOf(option), checked, wrong)}<span><b>${ticker}</b> ${assetName}${networkName !== '' && html`<span class="soft">${words.onNetwork(networkName)}</span>`}</span>${far && html`<span class="soft far">${far}</span>`}</label>`
}

const limitsOf = ({ words, amount }: Scene<OpenState>, { ticker, least, most }: PaymentOption): string | undefined => {
  const text = (value: string): string => amount({ value, ticker })
  if (least === undefined) return undefined
  return most === undefined ? words.from(text(least)) : words.between(text(least), text(most))
}

const radio = (value: string, checked: boolean, wrong: boolean): Markup => {
  if (checked) return html`<input type="radio" name="choice" value="${value}" required checked>`
  return html`<input type="radio" name="choice" value="${value}" required aria-invalid="${String(wrong)}">`
}

const amountEntry = (scene: Scene<OpenState>): Markup | undefined => {
  const {
    state: { amountEntry: entry, given, problem, options },
    words,
  } = scene
  if (!entry) return undefined
  const ticker = entry.ticker ?? (options.length === 1 ? options[0]!.ticker : undefined)
  const text = (value: string): string => (ticker === undefined ? value : scene.amount({ value, ticker }))
  const { least, most } = entry
  const hint =
    least === undefined
      ? most && words.atMost(text(most))
      : most === undefined
        ? words.atLeast(text(least))
        : words.limits(text(least), text(most))
  const wrong = problem?.field === 'value'
  return html`<div class="field"><label class="name" for="value">${ticker !== undefined ? words.amountIn(ticker) : isCurrency(scene.state) ? words.amount : words.amountInChosen}</label>
<input type="text" id="value" name="value" inputmode="decimal" autocomplete="off" maxlength="50" required value="${given?.value ?? ''}" aria-invalid="${String(wrong)}" aria-describedby="value-hint">
<p class="soft" id="value-hint">${hint}</p></div>`
}

const emailEntry = (scene: Scene<OpenState>): Markup => {
  const {
    state: { email, given, problem },
    words,
  } = scene
  if (email === 'known') return html`<p class="soft">${words.emailKnown}</p>`
  const wrong = problem?.field === 'email'
  return html`<div class="field"><label class="name" for="email">${words.email}</label>
<input type="email" id="email" name="email" autocomplete="email" maxlength="254" required value="${given?.email ?? ''}" aria-invalid="${String(wrong)}" aria-describedby="email-hint">
<p class="soft" id="email-hint">${words.emailHint}</p></div>`
}
