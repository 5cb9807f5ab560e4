import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { listPage } from '@bursar/contract'
import { entriesCausedBy } from '../../ledger/postings/index.ts'
import { showNetwork, showText, showTime } from '../../merchants/documents/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { ListPage } from '../../platform/lists/page.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  amountMarkup,
  chosenLanguage,
  choiceField,
  clearLink,
  csvFile,
  dayField,
  empty,
  lostPage,
  merchantPage,
  pager,
  table,
  textField,
  toneTag,
  type Scope,
} from '../frame/index.ts'
import { linkOf } from '../payments/index.ts'
import { MADE, MADE_EXPORT, ROWS, type PayoutPagesDeps } from './deps.ts'
import { readMadeFilter, STATUSES, type MadeFilter } from './made-filter.ts'
import { listMade, type Made, type PayoutStatus } from './made.ts'
import { backPiece } from './pieces.ts'
import { MADE_WORDS } from './words/made.ts'

const LONGEST_META = 80
const NO_DAYS = { timeFrom: null, timeTo: null }

const pageOf = (
  { runtime: { clock } }: PayoutPagesDeps,
  { timeFrom, timeTo }: Pick<ListPage, 'timeFrom' | 'timeTo'>,
  after: string | undefined,
  limit: number,
): ListPage => ({ after: after ?? null, limit, timeFrom, timeTo, aheadMs: clock.business() - clock.now() })

/** The payouts that were made, newest first. */
export const madePage =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { request, merchantId, words, visit } = scope
    const texts = MADE_WORDS[scope.language]
    const read = readMadeFilter(request.query, deps.rules.catalogue)
    const asked = request.query['after'] ?? ''
    const after = isUuid(asked) ? asked : undefined
    const { rows, next } = await listMade(deps, merchantId, read, pageOf(deps, read.days, after, ROWS))
    const isEmpty = rows.length === 0 && next === null
    const isAsked = isFiltered(read) || after !== undefined
    const file = linkTo(visit, merchantPath(merchantId, MADE_EXPORT), read.typed)
    return merchantPage(scope, {
      title: texts.title,
      part: 'payouts',
      actions: html`<div class="pager">${rows.length > 0 && html`<a class="button second" href="${file}">${words.exportCsv}</a>`}${backPiece(scope)}</div>`,
      sections: [
        filterForm(deps, scope, read, isEmpty),
        read.isWrong && html`<div role="status">${note('warn', ICONS.alert, words.wrongFilter)}</div>`,
        rows.length > 0
          ? madeTable(scope, rows)
          : isEmpty
            ? empty(texts.none, texts.noneText, isAsked && clearLink(scope))
            : html`<p>${words.searchOn}</p>`,
        pager(scope, read.typed, { after, next: next ?? undefined }),
      ],
    })
  }

/** Whether the list is shorter than all payouts of its kind. */
const isFiltered = ({ typed: { kind: _, ...others } }: MadeFilter): boolean => Object.keys(others).length > 0

/** @param isEmpty the list has no payout, and the link that clears the filters */
const filterForm = (deps: PayoutPagesDeps, scope: Scope, filter: MadeFilter, isEmpty: boolean): Markup => {
  const { kind, typed } = filter
  const { words, visit, language } = scope
  const texts = MADE_WORDS[language]
  const { catalogue } = deps.rules
  const any = ['', words.any] as const
  const assets = (kind === 'card' ? catalogue.fiat : catalogue.crypto).map(({ ticker }) => [ticker, ticker] as const)
  const networks = [...catalogue.networks].map((network) => [network, showNetwork(network)] as const)
  const text = (name: string, label: string): Markup => textField({ name, label, value: typed[name] })
  return html`<form method="get" action="${visit.path}" role="search" class="panel">${chosenLanguage(scope)}<div class="grid">${choiceField(
    { name: 'kind', label: texts.kind, value: kind },
    [
      ['chain', texts.chain],
      ['card', texts.card],
    ],
  )}</div><details class="filters"${isFiltered(filter) && html` open`}><summary>${words.filters}</summary><div class="grid">${[
    choiceField({ name: 'status', label: words.status, value: typed['status'] }, [
      any,
      ...STATUSES[kind].map((one) => [one, texts.statuses[one.toLowerCase() as PayoutStatus]] as const),
    ]),
    choiceField({ name: 'asset', label: words.asset, value: typed['asset'] }, [any, ...assets]),
    kind === 'chain' &&
      choiceField({ name: 'network', label: words.network, value: typed['network'] }, [any, ...networks]),
    kind === 'chain' && text('address', texts.to),
    kind === 'chain' && text('hash', texts.hash),
    text('localId', 'localId'),
    text('meta', words.meta),
    textField({ name: 'least', label: words.least, value: typed['least'] }, 'decimal'),
    textField({ name: 'most', label: words.most, value: typed['most'] }, 'decimal'),
    dayField({ name: 'from', label: words.from, value: typed['from'] }),
    dayField({ name: 'to', label: words.to, value: typed['to'] }),
  ]}</div><p class="soft">${words.dayHint} ${words.amountHint}</p></details><div class="pager"><button class="second">${words.apply}</button>${isFiltered(filter) && !isEmpty && clearLink(scope)}</div></form>`
}

const TONES = { pending: 'warn', done: 'good', failed: 'bad' } as const satisfies Record<PayoutStatus, string>

const statusTag = (scope: Scope, status: PayoutStatus): Markup =>
  toneTag(TONES[status], MADE_WORDS[scope.language].statuses[status])

const madeTable = (scope: Scope, rows: readonly Made[]): Markup => {
  const { words, visit, merchantId, language } = scope
  const texts = MADE_WORDS[language]
  return table(
    texts.title,
    [
      { title: texts.to },
      { title: words.status },
      { title: words.amount, isNumber: true },
      { title: texts.fee, isNumber: true, isFar: true },
      { title: words.created, isFar: true },
    ],
    rows.map(({ kind, id, to, network, status, amount, fee, ticker, meta, createdAt }) => [
      html`<a href="${linkTo(visit, merchantPath(merchantId, `${MADE}/${kind}/${id}`))}">${foreign(to.length > 22 ? `${to.slice(0, 10)}…${to.slice(-6)}` : to)}</a>${network !== null && html`<br><span class="soft">${showNetwork(network)}</span>`}${
        meta !== null && meta !== '' && html`<br><span class="soft">${foreign(showText(meta, LONGEST_META))}</span>`
      }<br class="near"><span class="soft near">${showTime(createdAt.getTime())}</span>`,
      statusTag(scope, status),
      amountMarkup(scope, { value: amount, ticker }),
      amountMarkup(scope, { value: fee, ticker }),
      showTime(createdAt.getTime()),
    ]),
  )
}

/** One payout with its transaction, the payments to its card, and its entries in the ledger. */
export const madeOnePage =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { request, merchantId, visit, words } = scope
    const { kind = '', id = '' } = request.params
    if ((kind !== 'chain' && kind !== 'card') || !isUuid(id)) return lostPage(visit, words)
    const ids = [id.toLowerCase()]
    const none = readMadeFilter({ kind }, deps.rules.catalogue)
    const only = { kind, chain: { ...none.chain, ids }, card: { ...none.card, ids } } as const
    const { rows } = await listMade(deps, merchantId, only, pageOf(deps, NO_DAYS, undefined, 1))
    const [made] = rows
    if (!made) return lostPage(visit, words)
    const texts = MADE_WORDS[scope.language]
    const { ticker, hash, network } = made
    const link = hash === null || network === null ? undefined : linkOf(deps.explorers, network, hash)
    const text = (title: string, value: string | null): [string, Piece] | undefined =>
      value === null || value === '' ? undefined : [title, foreign(value)]
    return merchantPage(scope, {
      title: texts.one,
      part: 'payouts',
      actions: html`<a href="${linkTo(visit, merchantPath(merchantId, MADE), { kind })}">${texts.title}</a>`,
      sections: [
        html`<section class="panel">${facts([
          [words.status, statusTag(scope, made.status)],
          [words.amount, html`<strong>${amountMarkup(scope, { value: made.amount, ticker })}</strong>`],
          [texts.fee, amountMarkup(scope, { value: made.fee, ticker })],
          [texts.to, html`<span class="hash">${foreign(made.to)}</span>`],
          network === null ? undefined : [words.network, showNetwork(network)],
          hash === null
            ? undefined
            : [
                texts.hash,
                html`<span class="hash">${hash}</span>${link && html`<br><a href="${link.url}" rel="noreferrer">${words.explorer(link.site)}</a>`}`,
              ],
          text(texts.why, made.status === 'failed' ? made.failReason : null),
          [words.created, showTime(made.createdAt.getTime())],
          text('localId', made.localId),
          text(words.meta, made.meta),
          [words.id, html`<span class="hash">${made.id}</span>`],
        ])}</section>`,
        made.parts.length > 0 &&
          table(
            texts.parts,
            [
              { title: texts.parts },
              { title: words.amount, isNumber: true },
              { title: texts.fee, isNumber: true, isFar: true },
            ],
            made.parts.map((part) => [
              html`${statusTag(scope, part.status)}${part.failReason !== null && html`<br><span class="soft">${foreign(part.failReason)}</span>`}`,
              amountMarkup(scope, { value: part.amount, ticker }),
              amountMarkup(scope, { value: part.fee, ticker }),
            ]),
          ),
        await ledgerOf(deps, scope, made.id),
      ],
    })
  }

const ledgerOf = async ({ db, rules: { catalogue } }: PayoutPagesDeps, scope: Scope, id: string): Promise<Markup> => {
  const { words, merchantId } = scope
  const entries = await entriesCausedBy(db, merchantId, [id], ['merchant'])
  const rows = entries.map(({ at, account, kind, posted, held, asset }) => [
    showTime(at.getTime()),
    html`${words.accounts[account] ?? account}, ${words.transfers[kind]}`,
    amountMarkup(scope, {
      value: formatUnits(posted === 0n ? held : posted, catalogue.find(asset)?.scale ?? 0),
      ticker: asset,
    }),
  ])
  return html`<section class="panel"><h2>${words.ledger}</h2>${
    rows.length === 0
      ? html`<p class="soft">${words.noLedger}</p>`
      : table(
          words.ledger,
          [{ title: words.time }, { title: words.account }, { title: words.change, isNumber: true }],
          rows,
        )
  }</section>`
}

/** Columns are named as in the CSV of the API's lists. */
const COLUMNS = [
  'id',
  'time',
  'status',
  'ticker',
  'amount',
  'fee',
  'blockchain',
  'to',
  'hash',
  'failReason',
  'localId',
  'meta',
]

/** All payouts of the filter, as a file. */
export const madeFile =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const read = readMadeFilter(scope.request.query, deps.rules.catalogue)
    const name = read.kind === 'card' ? 'card-payouts.csv' : 'withdrawals.csv'
    return csvFile<string | undefined>(scope, { name, columns: COLUMNS }, undefined, async (after) => {
      const { rows, next } = await listMade(deps, scope.merchantId, read, pageOf(deps, read.days, after, listPage.max))
      return { lines: rows.map(lineOf), next }
    })
  }

const lineOf = ({ id, createdAt, status, ticker, amount, fee, network, to, hash, failReason, localId, meta }: Made) => [
  id,
  createdAt.toISOString(),
  status,
  ticker,
  amount,
  fee,
  network ?? '',
  to,
  hash ?? '',
  failReason ?? '',
  localId ?? '',
  meta ?? '',
]
