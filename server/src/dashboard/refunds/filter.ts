import { listRefunds } from '../../cards/acquiring/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { listClaimsOf } from '../../pay-in/crypto-invoices/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Db } from '../../platform/db/index.ts'
import type { ListPage } from '../../platform/lists/page.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { readDays, type Days } from '../frame/index.ts'
import type { Source } from '../payments/index.ts'
import {
  KINDS,
  OF_CARDS,
  OF_CLAIMS,
  ofCard,
  ofClaim,
  STATUSES,
  type Kind,
  type RefundRow,
  type RefundStatus,
} from './refund.ts'

/** Conditions on refunds, all of which hold. They are the query of the page's URL. */
export interface RefundFilter {
  kind: Kind | null
  status: RefundStatus | null
  ticker: string | null
  days: Days
  /** the fields as typed, without empty ones: for links and for the form */
  typed: Readonly<Record<string, string>>
  /** a field is not valid, and was left out */
  isWrong: boolean
}

const FIELDS = ['kind', 'status', 'asset', 'from', 'to'] as const
const LONGEST = 300

/** Reads the filter of a URL. A field that is not valid is left out, because URLs are shared, typed and old. */
export const readRefundFilter = (query: Readonly<Record<string, string>>, catalogue: Catalogue): RefundFilter => {
  const typed: Partial<Record<(typeof FIELDS)[number], string>> = {}
  for (const field of FIELDS) {
    const text = (query[field] ?? '').trim()
    if (text !== '' && text.length <= LONGEST && !text.includes('\0')) typed[field] = text
  }
  const kind = KINDS.find((one) => one === typed.kind) ?? null
  const status = STATUSES.find((one) => one === typed.status) ?? null
  const ticker = typed.asset === undefined ? null : (catalogue.find(typed.asset)?.ticker ?? null)
  const days = readDays({ from: typed.from ?? '', to: typed.to ?? '' })
  const isWrong =
    days.isWrong ||
    (typed.kind !== undefined && kind === null) ||
    (typed.status !== undefined && status === null) ||
    (typed.asset !== undefined && ticker === null)
  return { kind, status, ticker, days, typed: typed as Record<string, string>, isWrong }
}

/** The lists that a filter selects from. */
export const refundSources = (
  { db, clock }: { db: Db; clock: Clock },
  merchantId: string,
  { kind, status, ticker, days }: RefundFilter,
): Source<RefundRow>[] => {
  const { timeFrom, timeTo } = days
  const pageOf = (after: string | null, limit: number): ListPage => ({
    limit,
    after,
    timeFrom,
    timeTo,
    aheadMs: clock.business() - clock.now(),
  })
  const both = { ids: null, ticker }
  const claims: Source<RefundRow> = {
    name: 'claims',
    isKey: isUuid,
    read: async (after, limit) => {
      const filter = { ...both, states: status && OF_CLAIMS[status] }
      const { rows, next } = await listClaimsOf(db, merchantId, filter, pageOf(after, limit))
      return { rows: rows.map(ofClaim), next }
    },
  }
  const cards: Source<RefundRow> = {
    name: 'cards',
    isKey: isUuid,
    read: async (after, limit) => {
      const filter = { ...both, states: status && OF_CARDS[status] }
      const { rows, next } = await listRefunds(db, merchantId, filter, pageOf(after, limit))
      return { rows: rows.map(ofCard), next }
    },
  }
  return [...(kind === 'card' ? [] : [claims]), ...(kind === 'claim' ? [] : [cards])]
}
