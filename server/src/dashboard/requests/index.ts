import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { listAdditionalKeys } from '../../merchants/accounts/index.ts'
import { showText, showTime } from '../../merchants/documents/index.ts'
import { listRefused, type RefusedRequest } from '../../merchants/refused-requests/index.ts'
import { countsOf, type OperationCounts } from '../../merchants/request-counts/index.ts'
import type { PageAnswer, PageRoute } from '../../platform/api/page.ts'
import { empty, memberPage, merchantPage, pager, table, type Scope, type ScopeDeps } from '../frame/index.ts'
import { REQUEST_WORDS, type RequestWords } from './words.ts'

const ROWS = 50
/** Pairs of an operation and a key. */
const MOST_COUNTS = 50
const LONGEST_PATH = 200
const LONGEST_REASON = 500

/** The page of the requests to the API: counts, and those that were refused, for developers. It changes nothing. */
export const requestPages = (deps: ScopeDeps): PageRoute[] => [
  memberPage(deps, 'requests', 'see-requests', requestsPage(deps)),
]

const requestsPage =
  (deps: ScopeDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, language, merchantId, request } = scope
    const texts = REQUEST_WORDS[language]
    const { after } = request.query
    const real = new Date(deps.runtime.clock.now())
    const counts = after === undefined ? await countsOf(deps.db, merchantId, real, MOST_COUNTS) : []
    const { rows, next } = await listRefused(deps.db, merchantId, after, ROWS)
    const keys = await listAdditionalKeys(deps.db, merchantId, real)
    const names = new Map(keys.map(({ id, name }) => [id, name]))
    return merchantPage(scope, {
      title: visit.words.requests,
      part: 'requests',
      sections: [
        counts.length > 0 &&
          html`<section><h2>${texts.counts}</h2><p class="soft">${texts.countsText}</p>${countTable(texts, counts, names)}</section>`,
        html`<h2>${texts.refused}</h2><p class="soft">${texts.intro}</p>`,
        rows.length > 0 ? requestTable(scope, texts, rows, names) : empty(texts.none, texts.noneText),
        pager(scope, {}, { after, next: next ?? undefined }),
      ],
    })
  }

const countTable = (
  texts: RequestWords,
  counts: readonly OperationCounts[],
  names: ReadonlyMap<string, string>,
): Markup =>
  table(
    texts.counts,
    [
      { title: texts.operation },
      { title: texts.day, isCount: true, isFar: true },
      { title: texts.week, isCount: true },
      { title: texts.ofThem, isCount: true },
      { title: texts.mean, isCount: true, isFar: true },
      { title: texts.slowest, isCount: true, isFar: true },
    ],
    counts.map(({ keyId, operation, day, week, refused, meanMs, slowestMs }): Piece[] => [
      html`<bdi class="address">${operation}</bdi><br><span class="soft">${names.get(keyId) ?? texts.mainKey}</span>`,
      String(day),
      String(week),
      String(refused),
      texts.ms(Math.round(meanMs)),
      texts.ms(slowestMs),
    ]),
  )

const requestTable = (
  { words, visit }: Scope,
  texts: RequestWords,
  rows: readonly RefusedRequest[],
  names: ReadonlyMap<string, string>,
): Markup =>
  table(
    visit.words.requests,
    [
      { title: texts.request },
      { title: texts.answer },
      { title: texts.key, isFar: true },
      { title: words.time, isFar: true },
    ],
    rows.map((one): Piece[] => [
      html`${one.method} ${pathPiece(one.path)}<br><span class="soft hash">${foreign(one.requestId)}</span><br class="near"><span class="soft near">${showTime(one.at)}</span>`,
      html`${one.status}, ${one.code}<br><span class="soft">${foreign(showText(one.reason, LONGEST_REASON))}</span>${one.keyId === null && html`<br><span class="soft near">${texts.unsigned}</span>`}`,
      signer(texts, one, names),
      showTime(one.at),
    ]),
  )

/** A path that a line can break behind its slashes. */
const pathPiece = (path: string): Markup =>
  html`<bdi>${showText(path, LONGEST_PATH)
    .split('/')
    .map((part, i) => html`${i > 0 && html`/<wbr>`}${part}`)}</bdi>`

/** @param names of additional keys, by their ids */
const signer = (texts: RequestWords, { keyId, from }: RefusedRequest, names: ReadonlyMap<string, string>): Markup =>
  html`${keyId === null ? html`${texts.unsigned}<br><span class="soft">${texts.unsignedText}</span>` : (names.get(keyId) ?? texts.mainKey)}<br><span class="soft">${texts.from(from)}</span>`
