import { html, type Markup, type Piece } from '@bursar/checkout/html'
import type { PageAnswer } from '../../platform/api/page.ts'
import {
  answerOf,
  BURSAR,
  linkTo,
  merchantLinks,
  PASSKEY_SCRIPT,
  type MerchantPart,
  type Visit,
} from '../../people/pages/index.ts'
import type { Scope } from './scope.ts'
import { STYLE } from './style.ts'
import type { Words } from './words/index.ts'

export interface MerchantPage {
  title: string
  /** the part of the navigation to which the page belongs */
  part: MerchantPart
  sections: readonly Piece[]
  status?: number
  /** beside the heading */
  actions?: Piece
  /** the page has forms in which a person proves that it is them: it has the script of passkeys */
  isProving?: boolean
}

/** Renders a page about a merchant. It loads nothing, and has no script but that of passkeys. */
export const merchantPage = (
  scope: Scope,
  { title, part, sections, status = 200, actions, isProving = false }: MerchantPage,
): PageAnswer => {
  const { visit, words, merchantName } = scope
  const main = html`<div class="desk">${navigation(scope, part)}<main id="content"><div class="top"><h1>${title}</h1>${actions}</div>${sections}</main></div>`
  return documentIn(visit, words, { title, name: merchantName, main, status, isProving })
}

/** The answer for a merchant or an object that the person can't see, whether it exists or not. */
export const lostPage = (visit: Visit, words: Words): PageAnswer => {
  const { notFoundTitle: title, notFound: text } = words
  return alonePage(visit, words, { title, text, status: 404 })
}

/** The answer for a page that the person's role does not allow. */
export const refusedPage = (visit: Visit, words: Words): PageAnswer => {
  const { notAllowedTitle: title, notAllowed: text } = visit.words
  return alonePage(visit, words, { title, text, status: 403 })
}

const alonePage = (
  visit: Visit,
  words: Words,
  { title, text, status }: { title: string; text: string; status: number },
): PageAnswer => {
  const main = html`<main class="alone" id="content"><h1>${title}</h1><section class="panel"><p>${text}</p><a href="${linkTo(visit, '/app')}">${visit.words.merchants}</a></section></main>`
  return documentIn(visit, words, { title, name: BURSAR, main, status })
}

const documentIn = (
  visit: Visit,
  words: Words,
  {
    title,
    name,
    main,
    status,
    isProving = false,
  }: { title: string; name: string; main: Markup; status: number; isProving?: boolean },
): PageAnswer =>
  answerOf(visit, {
    title: `${title} · ${name} · ${words.dashboard}`,
    name,
    main,
    script: isProving ? PASSKEY_SCRIPT : undefined,
    style: STYLE,
    url: visit.url,
    status,
    cookie: undefined,
  })

const navigation = ({ visit, words, merchantId, role }: Scope, part: MerchantPage['part']): Markup => {
  const link = (path: string, text: string, isCurrent = false): Markup =>
    html`<li><a href="${linkTo(visit, path)}"${isCurrent && html` aria-current="${visit.path === path ? 'page' : 'true'}"`}>${text}</a></li>`
  const links = merchantLinks(visit, { merchantId, role })
  return html`<div class="side"><a class="skip" href="#content">${words.skip}</a><nav aria-label="${words.sections}"><ul>${links.map((one) => link(one.path, one.text, one.part === part))}${link('/app/security', visit.words.security)}${link('/app', visit.words.merchants)}<li><form method="post" action="${linkTo(visit, '/app/sign-out')}"><button>${visit.words.signOut}</button></form></li></ul></nav></div>`
}
