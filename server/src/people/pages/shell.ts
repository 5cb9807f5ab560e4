import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { mayRole, type Place } from '../access/index.ts'
import { merchantLinks, type MerchantPart } from './merchant-links.ts'
import { linkTo, merchantPath, SECURITY_PATH, type Visit } from './visit.ts'

export interface ShellParts {
  title: string
  /** undefined on pages about no merchant */
  place: Place | undefined
  /** the part of the menu to which the page belongs */
  part?: MerchantPart | undefined
  sections: Piece
  /** beside the heading */
  actions?: Piece
}

/** The most merchants that the header lists; its last line leads to all of them. */
const MOST_LISTED = 12

/**
 * The header of a signed-in person: the merchant, a list of the others, and the button of the menu on a phone. Both
 * open by the attribute `popover`: no script is needed, Escape closes them, and the focus returns to the button.
 * A browser without it shows the menu above the page.
 */
export const shellHeader = (visit: Visit, place: Place | undefined, name: string): Markup => {
  const { words } = visit
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '•'
  return html`<header class="masthead"><a class="skip" href="#content">${words.skip}</a><span class="mark" aria-hidden="true">${letter}</span>${
    place && place.memberships.length > 1 ? switcher(visit, place) : html`<p class="seller">${foreign(name)}</p>`
  }${place && paletteOf(visit, place)}<button class="second open" popovertarget="menu">${words.open}</button></header>`
}

/**
 * The command palette and its button, which its script shows: it lists the links of the menu and of the page's head.
 * Its form is the search of Payments.
 */
const paletteOf = (visit: Visit, { merchantId, role }: Place): Markup => {
  const { open, label, find } = visit.words.palette
  const mayFind = mayRole(role, 'see-payments')
  return html`<button class="second seek" type="button" hidden data-palette="" aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K">${ICONS.search}<span>${open}</span><kbd aria-hidden="true">Ctrl K</kbd></button><dialog id="palette" class="palette" aria-label="${open}"><form method="get" action="${merchantPath(merchantId, 'payments')}">${visit.chosen !== undefined && html`<input type="hidden" name="lang" value="${visit.chosen}">`}<input type="search" name="q" maxlength="300" autocomplete="off" placeholder="${label}" aria-label="${label}" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"></form><div id="palette-list" role="listbox" aria-label="${open}"${mayFind && html` data-find="${find}"`}></div></dialog>`
}

const switcher = (visit: Visit, { merchantId, name, memberships }: Place): Markup => {
  const others = memberships.filter((one) => one.merchantId !== merchantId).slice(0, MOST_LISTED)
  return html`<button class="seller switch" popovertarget="merchants" aria-label="${visit.words.switchFrom(name)}"><span>${foreign(name)}</span></button><div id="merchants" class="drop" popover><ul>${others.map(
    (one) => html`<li><a href="${linkTo(visit, merchantPath(one.merchantId, 'home'))}">${foreign(one.name)}</a></li>`,
  )}<li><a href="${linkTo(visit, '/app')}">${visit.words.merchantsTitle}</a></li></ul></div>`
}

/** The menu and the page beside it. */
export const shellMain = (visit: Visit, { title, place, part, sections, actions }: ShellParts): Markup =>
  html`<div class="frame"><nav id="menu" class="side" popover aria-label="${visit.words.sections}">${place && merchantMenu(visit, place, part)}${accountMenu(visit)}</nav><main id="content"><div class="top"><h1>${title}</h1>${actions}</div>${sections}</main></div>`

const menuLink = (visit: Visit, path: string, text: string, isCurrent: boolean): Markup =>
  html`<li><a href="${linkTo(visit, path)}"${isCurrent && html` aria-current="${visit.path === path ? 'page' : 'true'}"`}>${text}</a></li>`

const merchantMenu = (visit: Visit, place: Place, part: MerchantPart | undefined): Markup[] =>
  merchantLinks(visit, place).map(
    ({ title, links }) =>
      html`${title !== undefined && html`<p class="group">${title}</p>`}<ul>${links.map((one) => menuLink(visit, one.path, one.text, one.part === part))}</ul>`,
  )

const accountMenu = (visit: Visit): Markup => {
  const { words, path } = visit
  const link = (to: string, text: string): Markup => menuLink(visit, to, text, path === to)
  return html`<p class="group">${words.groups.account}</p><ul>${link(SECURITY_PATH, words.security)}${link('/app', words.merchants)}<li><form method="post" action="${linkTo(visit, '/app/sign-out')}"><button>${words.signOut}</button></form></li></ul>`
}
