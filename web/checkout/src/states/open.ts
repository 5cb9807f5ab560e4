import { html, type Markup } from '../html.ts'
import { ICONS } from '../icons.ts'
import type { Panel, Scene } from '../panel.ts'
import { note } from '../parts.ts'
import { problemText } from '../problems.ts'
import type { FormProblem, OpenState } from '../view.ts'
import { isCurrency, optionChoices } from './choices.ts'

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

const form = (scene: Scene<OpenState>, isFiat: boolean): Markup => {
  const { state, words, action } = scene
  const priced = !isFiat && state.options.some(({ about }) => about !== undefined)
  return html`<form method="post" action="${action}" novalidate>
${problemSummary(scene)}${choices(scene)}${amountEntry(scene)}${emailEntry(scene)}
${priced && html`<p class="soft">${words.priceFixedLater}</p>`}${isFiat && html`<p class="soft">${words.cardNote}</p>`}
<button name="do" value="proceed">${words.proceed}</button></form>`
}

/** The ids of the fields, in the order of the page. */
const FIELDS = { choice: 'choices', value: 'value', email: 'email' } as const
const ORDER: readonly FormProblem['field'][] = ['form', 'choice', 'value', 'email', 'address']

/** All problems of the form at once, each a link to its field. */
const problemSummary = (scene: Scene<OpenState>): Markup | undefined => {
  const problems = (scene.state.problems ?? []).toSorted((a, b) => ORDER.indexOf(a.field) - ORDER.indexOf(b.field))
  if (problems.length === 0) return undefined
  const lines = problems.map((problem) => {
    const text = problemText(scene, problem)
    const field = problem.field === 'form' || problem.field === 'address' ? undefined : FIELDS[problem.field]
    return field === undefined ? text : html`<a href="#${field}">${text}</a>`
  })
  return html`<div role="alert">${note('bad', ICONS.alert, html`<strong>${scene.words.problem}</strong>`, ...lines)}</div>`
}

const problemAt = (scene: Scene<OpenState>, field: FormProblem['field']): FormProblem | undefined =>
  scene.state.problems?.find((problem) => problem.field === field)

/** The problem beside its field. The field names it in `aria-describedby` as `FIELD-problem`. */
const beside = (scene: Scene<OpenState>, field: keyof typeof FIELDS): Markup | undefined => {
  const problem = problemAt(scene, field)
  return problem && html`<p class="wrong" id="${field}-problem">${problemText(scene, problem)}</p>`
}

const amountEntry = (scene: Scene<OpenState>): Markup | undefined => {
  const {
    state: { amountEntry: entry, given, options },
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
  const wrong = problemAt(scene, 'value') !== undefined
  return html`<div class="field"><label class="name" for="value">${ticker !== undefined ? words.amountIn(ticker) : isCurrency(scene.state) ? words.amount : words.amountInChosen}</label>
${beside(scene, 'value')}<input type="text" id="value" name="value" inputmode="decimal" autocomplete="off" maxlength="50" required value="${given?.value ?? ''}" aria-invalid="${String(wrong)}" aria-describedby="${wrong && 'value-problem '}value-hint">
<p class="soft" id="value-hint">${hint}</p></div>`
}

const emailEntry = (scene: Scene<OpenState>): Markup => {
  const {
    state: { email, given },
    words,
  } = scene
  if (email === 'known') return html`<p class="soft">${words.emailKnown}</p>`
  const wrong = problemAt(scene, 'email') !== undefined
  return html`<div class="field"><label class="name" for="email">${words.email}</label>
${beside(scene, 'email')}<input type="email" id="email" name="email" autocomplete="email" maxlength="254" required value="${given?.email ?? ''}" aria-invalid="${String(wrong)}" aria-describedby="${wrong && 'email-problem '}email-hint">
<p class="soft" id="email-hint">${words.emailHint}</p></div>`
}

const choices = (scene: Scene<OpenState>): Markup | undefined =>
  optionChoices(scene, { isWrong: problemAt(scene, 'choice') !== undefined, problem: beside(scene, 'choice') })
