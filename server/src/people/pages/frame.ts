import { documentOf } from '@bursar/checkout/document'
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { PALETTE_SCRIPT } from './palette.generated.ts'
import { PASSKEY_SCRIPT } from './passkeys.generated.ts'
import type { Place } from '../access/index.ts'
import type { MerchantPart } from './merchant-links.ts'
import { shellHeader, shellMain, type ShellParts } from './shell.ts'
import { STYLE } from './style.ts'
import { linkTo, type Visit } from './visit.ts'

/** The name in the header of pages about no merchant. */
const BURSAR = 'Bursar'

export interface PageParts {
  title: string
  sections: readonly Piece[]
  status?: number
  cookie?: string
  /** the merchant that the page is about, with the person's role */
  merchant?: Place
  /** the part of the menu to which the page belongs */
  part?: MerchantPart
  /** the result of the last action */
  said?: { isProblem: boolean; text: string } | undefined
}

/** Renders a page of the dashboard. It loads nothing. Its script is that of passkeys, and of the command palette. */
export const pageOf = (
  visit: Visit,
  { title, sections, status = 200, cookie, said, merchant, part }: PageParts,
): PageAnswer => {
  const content = html`${said && html`<div role="${said.isProblem ? 'alert' : 'status'}">${note(said.isProblem ? 'bad' : 'good', said.isProblem ? ICONS.alert : ICONS.check, said.text)}</div>`}${sections}`
  const parts = { title, place: merchant, part, sections: html`<div class="narrow">${content}</div>` }
  return framed(visit, parts, { script: PASSKEY_SCRIPT, url: visit.path, status, cookie })
}

/** Renders a page in the frame of the dashboard: with the menu, if a person has signed in. */
export const framed = (
  visit: Visit,
  parts: ShellParts,
  answer: Pick<DashboardDocument, 'script' | 'url' | 'status' | 'cookie'>,
): PageAnswer => {
  const { title, place, sections, actions } = parts
  const name = place?.name ?? BURSAR
  return answerOf(visit, {
    ...answer,
    script: visit.session && place ? together(PALETTE_SCRIPT, answer.script) : answer.script,
    title: `${title} · ${place ? `${name} · ` : ''}${visit.words.menu}`,
    name,
    style: STYLE,
    ...(visit.session
      ? { header: shellHeader(visit, place, name), main: shellMain(visit, parts) }
      : { main: html`<main class="alone" id="content"><h1>${title}</h1>${actions}${sections}</main>` }),
  })
}

/** Two scripts of a page as one. */
export const together = (first: string | undefined, second: string | undefined): string | undefined =>
  first === undefined || second === undefined ? (first ?? second) : `${first};${second}`

/** A page of the dashboard as a document. */
export interface DashboardDocument {
  title: string
  /** in the header, in the place of a seller's */
  name: string
  /** in place of the header with the name */
  header?: Markup
  main: Markup
  script: string | undefined
  style: string
  /** the page in another language: this path and query, with `lang` */
  url: string
  status: number
  /** of a new session; without one, the cookie of the browser is set if it is due */
  cookie: string | undefined
}

/** The answer with a document of the dashboard. */
export const answerOf = (
  visit: Visit,
  { title, name, header, main, script, style, url, status, cookie = visit.newDevice }: DashboardDocument,
): PageAnswer => {
  const rendered = documentOf({
    language: visit.language,
    title,
    seller: { name, url: undefined, accent: undefined, support: { url: undefined, email: undefined } },
    header,
    main,
    inLanguage: (other) => linkTo({ chosen: other }, url),
    refreshSeconds: undefined,
    script,
    style,
  })
  return {
    status,
    headers: {
      ...rendered.headers,
      // With no referrer, browsers send `Origin: null` with forms.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      ...(cookie !== undefined && { 'set-cookie': cookie }),
    },
    body: rendered.html,
  }
}

/** A mail address. Where it is too long for a line, it is broken before the `@` rather than in a word. */
export const mailPiece = (address: string): Markup => {
  const at = address.lastIndexOf('@')
  return html`<bdi>${address.slice(0, at)}<wbr>${address.slice(at)}</bdi>`
}

/** Sends the browser to another page, with the cookie of a new session. */
export const redirect = (location: string, cookie?: string): PageAnswer => ({
  status: 303,
  headers: { location, ...(cookie !== undefined && { 'set-cookie': cookie }) },
  body: '',
})

export const section = (title: string, ...content: readonly Piece[]): Markup =>
  html`<section class="panel"><h2>${title}</h2>${content}</section>`

export interface Field {
  name: string
  label: string
  type?: 'text' | 'email' | 'password'
  hint?: string
  value?: string
  /** for password managers and keyboards: `autocomplete` and `inputmode` */
  autocomplete?: string
  inputmode?: string
  isNeeded?: boolean
}

export const input = ({ name, label, type = 'text', hint, value, autocomplete, inputmode, isNeeded = true }: Field) => {
  const id = `field-${name}`
  return html`<div class="field"><label class="name" for="${id}">${label}</label>${hint !== undefined && html`<p class="soft" id="${id}-hint">${hint}</p>`}
<input id="${id}" name="${name}" type="${type}"${value !== undefined && html` value="${value}"`}${autocomplete !== undefined && html` autocomplete="${autocomplete}"`}${inputmode !== undefined && html` inputmode="${inputmode}"`}${hint !== undefined && html` aria-describedby="${id}-hint"`}${isNeeded && html` required`}></div>`
}

export interface PasskeyForm {
  /** make: a new passkey; use: a stored one */
  verb: 'make' | 'use'
  action: string
  /** the value of the field `do` */
  does: string
  options: object
  button: string
  failed: string
  fields?: Piece
  isSecond?: boolean
}

/** A form that the script shows where passkeys are possible, and submits with the authenticator's answer. */
export const passkeyForm = ({ verb, action, does, options, button, failed, fields, isSecond = false }: PasskeyForm) =>
  html`<form method="post" action="${action}" hidden data-passkey="${verb}" data-options="${JSON.stringify(options)}"><input type="hidden" name="do" value="${does}"><input type="hidden" name="answer" value="">${fields}
<button${isSecond && html` class="second"`}>${button}</button><p class="wrong" role="alert" hidden data-failed="">${failed}</p></form>`

/** A choice of one of several values. */
export const choice = (
  { id, name, label }: { id: string; name: string; label: string },
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
): Markup =>
  html`<div class="field"><label class="name" for="${id}">${label}</label><select id="${id}" name="${name}">${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></div>`

export const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`

/** The address that a password belongs to, for password managers. */
export const userName = (email: string): Markup =>
  html`<input type="text" name="username" autocomplete="username" value="${email}" hidden>`
