import { foreign, html, type Markup } from '@bursar/checkout/html'
import { showText, showTime } from '../../merchants/documents/index.ts'
import {
  ANY_LINK,
  createLink,
  endOf,
  listLinks,
  MerchantLeaving,
  TooManyLinks,
  type LinkEnd,
  type PaymentLink,
} from '../../pay-in/payment-links/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { draftOf, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { firstPage } from '../../platform/lists/page.ts'
import { empty, merchantPage, pager, table, toneTag, type Scope, type Submitted } from '../frame/index.ts'
import { LINKS, NEW_LINK, ROWS, type InvoicingDeps } from './deps.ts'
import { linkForm } from './form.ts'
import { linkAmount } from './pieces.ts'
import { readLinkForm, typedAgain, typedIn, typedInUrl, type Problem, type Typed } from './typed.ts'
import { INVOICING_WORDS, type InvoicingWords } from './words/index.ts'

const LONGEST_NAME = 80

/** The payment links of a merchant, newest first. */
export const linksPage =
  (deps: InvoicingDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, merchantId, role, language, request } = scope
    const texts = INVOICING_WORDS[language]
    const after = isUuid(request.query['after'] ?? '') ? request.query['after'] : undefined
    const page = { ...firstPage(ROWS), after: after ?? null }
    const { rows: links, next } = await listLinks(deps.db, merchantId, ANY_LINK, page, visit.now.moment.at)
    const make =
      mayRole(role, 'create-invoices') &&
      html`<a class="button" href="${linkTo(visit, merchantPath(merchantId, NEW_LINK))}">${texts.newLink}</a>`
    return merchantPage(scope, {
      title: visit.words.links,
      part: 'links',
      actions: links.length > 0 && make,
      sections: [
        links.length > 0 ? linkTable(scope, texts, links) : empty(texts.noLinks, texts.noLinksText, make),
        pager(scope, {}, { after, next: next ?? undefined }),
      ],
    })
  }

const linkTable = (scope: Scope, texts: InvoicingWords, links: readonly PaymentLink[]): Markup => {
  const { visit, words, merchantId } = scope
  return table(
    visit.words.links,
    [
      { title: texts.name },
      { title: words.status },
      { title: words.amount, isNumber: true },
      { title: words.created, isFar: true },
    ],
    links.map((link) => [
      html`<a href="${linkTo(visit, merchantPath(merchantId, `${LINKS}/${link.id}`))}">${foreign(showText(link.name, LONGEST_NAME))}</a>`,
      endTag(texts, endOf(link, visit.now.moment.at)),
      linkAmount(scope, texts, link),
      showTime(link.createdAt.getTime()),
    ]),
  )
}

export const endTag = (texts: InvoicingWords, end: LinkEnd | undefined): Markup =>
  toneTag(end === undefined ? 'good' : 'calm', texts.ends[end ?? 'active'])

/** The form of a new link. Its URL may have values of fields. */
export const newLinkPage =
  (deps: InvoicingDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const draft = draftOf(deps, scope.visit.session, scope.request)
    return formPage(deps, scope, { typed: typedInUrl(scope.request, draft), problems: [], status: 200 })
  }

/** Creates the link that was typed, and shows it. */
export const submitLink =
  (deps: InvoicingDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId } = scope
    const read = readLinkForm(fields, deps, visit.now.moment)
    if ('problems' in read) {
      const { problems } = read
      return formPage(deps, scope, { typed: typedAgain(fields, problems), problems, status: 400 })
    }
    const asked = { merchantId, link: read.value, key: read.key }
    try {
      const { id } = await inTransaction(deps.db, (tx) => createLink(tx, session, asked, deps.random, visit.now))
      return redirect(linkTo(visit, merchantPath(merchantId, `${LINKS}/${id}`)))
    } catch (error) {
      const problem = problemOf(error)
      return formPage(deps, scope, { typed: typedIn(fields), problems: [problem], status: 409 })
    }
  }

/** The problem that a refused link has; other errors are thrown again. */
export const problemOf = (error: unknown): 'many' | 'leaving' => {
  if (error instanceof TooManyLinks) return 'many'
  if (error instanceof MerchantLeaving) return 'leaving'
  throw error
}

const formPage = (
  deps: InvoicingDeps,
  scope: Scope,
  { typed, problems, status }: { typed: Typed; problems: readonly Problem[]; status: number },
): PageAnswer => {
  const texts = INVOICING_WORDS[scope.language]
  return merchantPage(scope, {
    title: texts.newLink,
    part: 'links',
    status,
    sections: [html`<p>${texts.newLinkText}</p>`, linkForm(scope, { typed, problems, texts }, deps)],
  })
}
