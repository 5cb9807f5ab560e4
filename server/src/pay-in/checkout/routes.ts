import { generalErrors } from '@bursar/contract'
import {
  languageOf,
  LONGEST_FEE,
  renderPage,
  versionOf,
  type FormProblem,
  type Language,
  type PageView,
} from '@bursar/checkout'
import { isUuid } from '../../platform/base/id.ts'
import type { PageAnswer, PageRequest, PageRoute } from '../../platform/api/page.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import { readForm } from './forms.ts'
import type { LivePages } from './live.ts'
import type { InvoicePages, SentForm, Visit } from './source.ts'

/** The maximum size of a form's fields, with each byte percent-encoded. */
const MOST_FORM_BYTES = 8_192

/** The pages of one kind of invoice, at `/invoices/{kind}`. */
export const invoicePageRoutes = (pages: InvoicePages, live: LivePages): PageRoute[] => {
  const path = `/invoices/${pages.kind}/{id}`
  return [
    { method: 'GET', path, mostBytes: 0, handle: (request) => show(pages, request) },
    { method: 'POST', path, mostBytes: MOST_FORM_BYTES, handle: (request) => act(pages, request) },
    { method: 'GET', path: `${path}/live`, mostBytes: 0, handle: (request) => subscribe(pages, live, request) },
    { method: 'GET', path: `${path}/receipt.pdf`, mostBytes: 0, handle: (request) => receipt(pages, request) },
  ]
}

const idOf = ({ params }: PageRequest): string => {
  const id = (params['id'] ?? '').toLowerCase()
  if (!isUuid(id)) throw nothing()
  return id
}

const nothing = (): ApiRefusal => refusal(generalErrors.notFound, 'there is no such invoice')

const visitOf = ({ query, headers }: PageRequest): Visit => ({
  language: languageOf(query['lang'], headers['accept-language']),
  claim: query['claim'],
  returned: query['returned'] !== undefined,
  rest: query['rest'] !== undefined,
  fee: query['fee']?.slice(0, LONGEST_FEE),
})

/** The language that the reader has chosen, else that of the invoice, else the browser's. */
const languageFor = ({ language }: PageView, { query, headers }: PageRequest): Language =>
  languageOf(query['lang'] ?? language, headers['accept-language'])

const found = async (pages: InvoicePages, request: PageRequest, visit: Visit = visitOf(request)): Promise<PageView> => {
  const view = await pages.find(idOf(request), visit)
  if (!view) throw nothing()
  return view
}

const show = async (pages: InvoicePages, request: PageRequest): Promise<PageAnswer> => {
  const view = await found(pages, request)
  const { html, headers } = renderPage(view, languageFor(view, request))
  return { status: 200, headers, body: html }
}

const act = async (pages: InvoicePages, request: PageRequest): Promise<PageAnswer> => {
  const [visit, form] = [visitOf(request), readForm(request)]
  const problems = form ? await pages.act(idOf(request), form, visit) : []
  const view = await found(pages, request, form && problems.length === 0 ? pages.after(form, visit) : visit)
  const language = languageFor(view, request)
  if (form && problems.length > 0) {
    const { html, headers } = renderPage(withProblems(view, form, problems), language)
    return { status: 400, headers, body: html }
  }
  const query = new URLSearchParams({ ...view.keep, lang: language })
  return { status: 303, headers: { location: `${view.path}?${query.toString()}` }, body: '' }
}

/** Returns the form as it was submitted, if the page still has it, with its problems. */
const withProblems = (
  view: PageView,
  { email, value, choice, address }: SentForm,
  problems: readonly FormProblem[],
): PageView => {
  const { state } = view
  if (state.at === 'open') {
    const given = {
      ...(email === undefined ? {} : { email }),
      ...(value === undefined ? {} : { value }),
      ...(choice === undefined ? {} : { choice }),
    }
    return { ...view, state: { ...state, given, problems } }
  }
  if (state.at === 'underpaid' && typeof state.claim !== 'string') {
    return {
      ...view,
      state: {
        ...state,
        claim: { ...state.claim, given: address === undefined ? {} : { address }, problem: problems[0]! },
      },
    }
  }
  return { ...view, notice: problems[0]! }
}

const subscribe = async (pages: InvoicePages, live: LivePages, request: PageRequest): Promise<PageAnswer> => {
  const [id, visit] = [idOf(request), visitOf(request)]
  const version = async (): Promise<string | undefined> => {
    const view = await pages.find(id, visit)
    return view && versionOf(view)
  }
  if ((await version()) === undefined) throw nothing()
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    stream: (write, signal) => live.subscribe(pages.channel, id, version, write, signal),
  }
}

const receipt = async (pages: InvoicePages, request: PageRequest): Promise<PageAnswer> => {
  const document = await pages.receipt(idOf(request), visitOf(request))
  if (!document) throw nothing()
  return {
    status: 200,
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${document.name.replaceAll(/[^A-Za-z0-9._-]/g, '')}"`,
    },
    body: document.pdf,
  }
}
