import { listPage } from '@bursar/contract'
import type { PageAnswer } from '../../platform/api/page.ts'
import { csvFile, type Scope } from '../frame/index.ts'
import type { PaymentPagesDeps } from './deps.ts'
import { readFilter } from './filter.ts'
import { mergePage } from './merging.ts'
import type { Payment } from './payment.ts'
import { sourcesOf } from './sources.ts'

/** Columns are named as in the CSV of the API's lists. They are the same in every language, for programs. */
const COLUMNS = [
  'id',
  'createdAt',
  'kind',
  'status',
  'name',
  'amount.value',
  'amount.ticker',
  'paidAmount.value',
  'paidAmount.ticker',
  'fee.value',
  'blockchain',
  'address',
  'hash',
  'email',
  'meta',
] as const

/** All payments of the filter that the list shows, as a file. */
export const paymentsFile =
  (deps: PaymentPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { merchantId, request } = scope
    const { filter } = readFilter(request.query, deps.catalogue)
    const sources = sourcesOf({ ...deps, clock: deps.runtime.clock }, merchantId, filter)
    return csvFile<string | undefined>(scope, { name: 'payments.csv', columns: COLUMNS }, undefined, async (after) => {
      const { rows, next } = await mergePage(sources, after, listPage.max)
      return { lines: rows.map(lineOf), next }
    })
  }

const lineOf = (payment: Payment): string[] => {
  const { id, createdAt, kind, status, name, amount, paid, fee, network, address, hash, email, meta } = payment
  return [
    id,
    createdAt.toISOString(),
    kind,
    status,
    name ?? '',
    amount?.value ?? '',
    amount?.ticker ?? '',
    paid?.value ?? '',
    paid?.ticker ?? '',
    fee?.value ?? '',
    network ?? '',
    address ?? '',
    hash ?? '',
    email ?? '',
    meta ?? '',
  ]
}
