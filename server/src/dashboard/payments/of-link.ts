import type { Markup } from '@bursar/checkout/html'
import type { Scope } from '../frame/index.ts'
import type { PaymentPagesDeps } from './deps.ts'
import { readFilter } from './filter.ts'
import { paymentTable } from './list-page.ts'
import { mergePage } from './merging.ts'
import { sourcesOf } from './sources.ts'

/** The newest payments from a payment link, as the list of payments shows them; undefined if there is none. */
export const paymentsOfLink = async (
  { catalogue, runtime, db }: Pick<PaymentPagesDeps, 'catalogue' | 'runtime' | 'db'>,
  scope: Scope,
  linkId: string,
  most: number,
): Promise<Markup | undefined> => {
  const { filter } = readFilter({ link: linkId }, catalogue)
  const { rows } = await mergePage(
    sourcesOf({ db, clock: runtime.clock, catalogue }, scope.merchantId, filter),
    undefined,
    most,
  )
  return rows.length === 0 ? undefined : paymentTable(scope, rows)
}
