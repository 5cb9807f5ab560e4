import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import type { Field, Problem, Typed } from './typed.ts'
import type { InvoicingWords } from './words/index.ts'

/** A form as it is shown: the values, and what is wrong with them. */
export interface Shown {
  typed: Typed
  problems: readonly Problem[]
  texts: InvoicingWords
}

interface Asked {
  name: Field
  label: string
  hint?: Piece
  type?: 'text' | 'email' | 'date'
  mode?: 'decimal' | 'numeric' | 'url'
  most?: number
  isNeeded?: boolean
}

/** All problems at once, each a link to its field. */
export const problemSummary = ({ problems, texts }: Shown): Markup | undefined =>
  problems.length === 0
    ? undefined
    : html`<div role="alert">${note(
        'bad',
        ICONS.alert,
        html`<strong>${texts.problemTitle}</strong>`,
        ...problems.map((one) =>
          one === 'key' || one === 'many' || one === 'leaving'
            ? texts.problems[one]
            : html`<a href="#in-${one}">${texts.problems[one]}</a>`,
        ),
      )}</div>`

const problemOf = ({ problems, texts }: Shown, name: Field): Markup | undefined => {
  const problem = problems.find((one) => one === name)
  return problem && html`<p class="wrong" id="in-${name}-problem">${texts.problems[problem]}</p>`
}

const labelOf = ({ texts }: Shown, { name, label, isNeeded = false }: Asked): Markup =>
  html`<label class="name" for="in-${name}">${label}${!isNeeded && html` <span class="soft">${texts.optional}</span>`}</label>`

const described = (name: Field, isWrong: boolean, hasHint: boolean): Markup | undefined => {
  const ids = [...(isWrong ? [`in-${name}-problem`] : []), ...(hasHint ? [`in-${name}-hint`] : [])]
  return ids.length === 0 ? undefined : html` aria-describedby="${ids.join(' ')}"`
}

export const entry = (shown: Shown, asked: Asked): Markup => {
  const { name, hint, type = 'text', mode, most = 255, isNeeded = false } = asked
  const problem = problemOf(shown, name)
  const isWrong = problem !== undefined
  return html`<div class="field">${labelOf(shown, asked)}${problem}<input type="${type}" id="in-${name}" name="${name}" value="${shown.typed[name]}" maxlength="${most}" autocomplete="off"${mode !== undefined && html` inputmode="${mode}"`}${isNeeded && html` required`} aria-invalid="${String(isWrong)}"${described(name, isWrong, hint !== undefined)}>${hint !== undefined && html`<p class="soft" id="in-${name}-hint">${hint}</p>`}</div>`
}

/** @param groups titles of groups with the value and the text of each option; a group without a title has none */
export const select = (
  shown: Shown,
  asked: Pick<Asked, 'name' | 'label' | 'hint' | 'isNeeded'>,
  groups: readonly (readonly [title: string, options: readonly (readonly [value: string, text: string])[]])[],
): Markup => {
  const { name, hint } = asked
  const problem = problemOf(shown, name)
  const options = (all: readonly (readonly [string, string])[]): Markup[] =>
    all.map(
      ([value, text]) =>
        html`<option value="${value}"${value === shown.typed[name] && html` selected`}>${text}</option>`,
    )
  return html`<div class="field">${labelOf(shown, asked)}${problem}<select id="in-${name}" name="${name}" aria-invalid="${String(problem !== undefined)}"${described(name, problem !== undefined, hint !== undefined)}>${groups.map(
    ([title, all]) =>
      all.length > 0 && (title === '' ? options(all) : html`<optgroup label="${title}">${options(all)}</optgroup>`),
  )}</select>${hint !== undefined && html`<p class="soft" id="in-${name}-hint">${hint}</p>`}</div>`
}
