import { documentOf } from '@bursar/checkout/document'
import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { PASSKEY_SCRIPT } from './passkeys.generated.ts'
import type { Membership } from '../access/index.ts'
import { merchantLinks } from './merchant-links.ts'
import { linkTo, type Visit } from './visit.ts'

/** Rules beside those of payment pages. */
const STYLE =
  'input[type=password],select{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rim);border-radius:.75rem;padding:.7rem .9rem;min-height:3rem;width:100%}' +
  'main.alone{gap:1.25rem;padding-top:1rem}.menu{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center}.menu a{padding:.6rem 0;display:inline-block}.menu form{margin-left:auto}' +
  '.menu a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}.rows>li{padding:.8rem 0;border-top:1px solid var(--edge)}.rows>li:first-child{border-top:0;padding-top:0}.rows>li:last-child{padding-bottom:0}' +
  '.menu button{min-height:2.75rem}.line{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;align-items:center}' +
  '.line>div{min-width:0;flex:1 1 12rem}.line button{min-height:2.75rem}details.change>summary{display:inline-block;min-height:2.75rem}fieldset{border:0;padding:0;margin:0;min-width:0}.check{display:flex;gap:.6rem;align-items:center;min-height:2.75rem}.check input{accent-color:var(--line);width:1.25rem;height:1.25rem;flex:none;margin:0}' +
  'details.change form+form{margin-top:1rem}.codes-list{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.5rem}'

/** The name in the header of pages about no merchant. */
export const BURSAR = 'Bursar'

export interface PageParts {
  title: string
  sections: readonly Piece[]
  status?: number
  cookie?: string
  /** the merchant that the page is about, with the person's role */
  merchant?: Membership
  /** the result of the last action */
  said?: { isProblem: boolean; text: string } | undefined
}

/** Renders a page of the dashboard. It loads nothing, and its script is that of passkeys. */
export const pageOf = (
  visit: Visit,
  { title, sections, status = 200, cookie, said, merchant }: PageParts,
): PageAnswer => {
  const { words, session, path } = visit
  const main = html`<main class="alone">${session && menu(visit)}${merchant && merchantMenu(visit, merchant)}<h1>${title}</h1>
${said && html`<div role="${said.isProblem ? 'alert' : 'status'}">${note(said.isProblem ? 'bad' : 'good', said.isProblem ? ICONS.alert : ICONS.check, said.text)}</div>`}
${sections}</main>`
  const parts = { title: `${title} · ${words.menu}`, main, script: PASSKEY_SCRIPT, style: STYLE }
  return answerOf(visit, { ...parts, name: BURSAR, url: path, status, cookie })
}

/** A page of the dashboard as a document. */
export interface DashboardDocument {
  title: string
  /** in the header, in the place of a seller's */
  name: string
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
  { title, name, main, script, style, url, status, cookie = visit.newDevice }: DashboardDocument,
): PageAnswer => {
  const rendered = documentOf({
    language: visit.language,
    title,
    seller: { name, url: undefined, accent: undefined, support: { url: undefined, email: undefined } },
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

const menuLink = (visit: Visit, path: string, text: string): Markup =>
  html`<a href="${linkTo(visit, path)}"${visit.path === path && html` aria-current="page"`}>${text}</a>`

/** The pages of one merchant that the person may see. */
const merchantMenu = (visit: Visit, merchant: Membership): Markup =>
  html`<nav class="menu" aria-label="${merchant.name}"><strong>${foreign(merchant.name)}</strong>${merchantLinks(visit, merchant).map(({ path, text }) => menuLink(visit, path, text))}</nav>`

const menu = (visit: Visit): Markup => {
  const { words } = visit
  const link = (path: string, text: string): Markup => menuLink(visit, path, text)
  return html`<nav class="menu" aria-label="${words.menu}">${link('/app', words.merchants)}${link('/app/security', words.security)}
<form method="post" action="${linkTo(visit, '/app/sign-out')}"><button class="second">${words.signOut}</button></form></nav>`
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
