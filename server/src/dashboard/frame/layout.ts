import type { Markup, Piece } from '@bursar/checkout/html'
import { html } from '@bursar/checkout/html'
import type { PageAnswer } from '../../platform/api/page.ts'
import { framed, linkTo, PASSKEY_SCRIPT, together, type MerchantPart, type Visit } from '../../people/pages/index.ts'
import type { Place } from '../../people/access/index.ts'
import { liveMark } from './live.ts'
import { LIVE_SCRIPT } from './live.generated.ts'
import type { Scope } from './scope.ts'
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
  /** the page's own script, beside that of passkeys */
  script?: string
}

/**
 * Renders a page about a merchant. It loads nothing. Most pages have only the script of the command palette; pages that
 * show changes while they are open have a script for that.
 */
export const merchantPage = (
  scope: Scope,
  { status = 200, isProving = false, script, sections, ...parts }: MerchantPage,
): PageAnswer => {
  const { visit, place } = scope
  const mark = liveMark(scope)
  const scripts = together(isProving ? PASSKEY_SCRIPT : undefined, script)
  return framed(
    visit,
    { ...parts, sections: [mark, sections], place },
    { script: together(scripts, mark && LIVE_SCRIPT), url: visit.url, status, cookie: undefined },
  )
}

/** The answer for a merchant or an object that the person can't see, whether it exists or not. */
export const lostPage = (visit: Visit, words: Words): PageAnswer =>
  notePage(visit, undefined, {
    title: words.notFoundTitle,
    sections: html`<section class="panel"><p>${words.notFound}</p><a href="${linkTo(visit, '/app')}">${visit.words.merchants}</a></section>`,
    status: 404,
  })

/** The answer for a page that the person's role does not allow. */
export const refusedPage = (visit: Visit, place: Place): PageAnswer =>
  notePage(visit, place, {
    title: visit.words.notAllowedTitle,
    sections: html`<section class="panel"><p>${visit.words.notAllowed}</p></section>`,
    status: 403,
  })

const notePage = (
  visit: Visit,
  place: Place | undefined,
  { title, sections, status }: { title: string; sections: Markup; status: number },
): PageAnswer =>
  framed(visit, { title, place, sections }, { script: undefined, url: visit.url, status, cookie: undefined })
