import { html, type Markup } from '@bursar/checkout/html'
import { linkTo } from '../../people/pages/index.ts'
import type { Scope } from './scope.ts'

/** Fields of forms that ask by the URL (method GET). */

interface Asked {
  name: string
  label: string
  value: string | undefined
}

export const dayField = ({ name, label, value }: Asked): Markup =>
  html`<div class="field"><label class="name" for="by-${name}">${label}</label><input type="date" id="by-${name}" name="${name}" value="${value ?? ''}"></div>`

export const textField = ({ name, label, value }: Asked, mode: 'decimal' | 'search' = 'search'): Markup =>
  html`<div class="field"><label class="name" for="by-${name}">${label}</label><input type="${mode === 'search' ? 'search' : 'text'}" id="by-${name}" name="${name}" value="${value ?? ''}" autocomplete="off"${mode === 'decimal' && html` inputmode="decimal"`}></div>`

/** @param options value and text of each */
export const choiceField = (
  { name, label, value }: Asked,
  options: readonly (readonly [value: string, text: string])[],
): Markup =>
  html`<div class="field"><label class="name" for="by-${name}">${label}</label><select id="by-${name}" name="${name}">${options.map(
    ([one, text]) => html`<option value="${one}"${one === (value ?? '') && html` selected`}>${text}</option>`,
  )}</select></div>`

/** The chosen language, which the query of a submitted form would lose. */
export const chosenLanguage = ({ visit }: Scope): Markup | undefined =>
  visit.chosen === undefined ? undefined : html`<input type="hidden" name="lang" value="${visit.chosen}">`

/** The link to a list without filters. An empty list has it below; otherwise the form of the filters has it. */
export const clearLink = ({ visit, words }: Scope): Markup =>
  html`<a href="${linkTo(visit, visit.path)}">${words.clear}</a>`
