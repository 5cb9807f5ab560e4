/** The tables of an archive that are the lists of the API: they have the same items, read by the same code. */
import { listEntries, listPage, operations } from '@bursar/contract'
import type { Route } from '../../platform/api/route.ts'
import { cursorOf } from '../../platform/lists/reading.ts'
import { ROWS, type ArchiveRow, type Subject } from './subject.ts'

const LISTS = [
  ['listCryptoInvoices', 'Crypto invoices, as the API shows them.'],
  ['listFiatInvoices', 'Card invoices, as the API shows them.'],
  ['listDeposits', 'Deposits, those that pay an invoice included.'],
  ['listCryptoWithdrawals', 'Withdrawals, those of exchanges and refunds included.'],
  ['listCardPayouts', 'Payouts to cards.'],
  ['listExchanges', 'Exchanges, those with a withdrawal or a card payout included.'],
] as const

type Query = Readonly<Record<string, string>>

/** The lists of the orders of a merchant that were created before a time. */
export const orderSubjects = (routes: readonly Route[], merchantId: string, before: Date): Subject[] =>
  LISTS.map(([id, about]) => {
    const { path, csv } = operations.find((one) => one.id === id)!
    return {
      name: path.split('/').at(-1)!,
      columns: csv!,
      about,
      pages: pagesOf(routeOf(routes, id), merchantId, { timeTo: String(before.getTime()) }),
    }
  })

/**
 * The entries of the balances of a merchant, those of each asset newest first.
 * @param versions the version of the newest entry of each asset: later entries are not in the archive
 */
export const entrySubject = (
  routes: readonly Route[],
  merchantId: string,
  versions: readonly { asset: string; version: number }[],
): Subject => {
  const route = routeOf(routes, listEntries.id)
  async function* pages(): AsyncGenerator<readonly ArchiveRow[]> {
    for (const { asset, version } of versions)
      yield* pagesOf(route, merchantId, { ticker: asset, after: cursorOf(listEntries.id, String(version + 1)) })
  }
  return {
    name: 'entries',
    columns: listEntries.csv!,
    about: 'Every entry of the balance of each asset, newest first, with the balance after it.',
    pages: pages(),
  }
}

const routeOf = (routes: readonly Route[], id: string): Route => {
  const route = routes.find(({ operation }) => operation === id)
  if (!route) throw new Error(`an archive needs the route of ${id}`)
  return route
}

async function* pagesOf({ handle }: Route, merchantId: string, query: Query): AsyncGenerator<readonly ArchiveRow[]> {
  for (let after: string | undefined; ;) {
    const asked = { limit: String(Math.min(ROWS, listPage.max)), ...query, ...(after !== undefined && { after }) }
    const answer = await handle({
      merchantId,
      params: {},
      query: asked,
      body: undefined,
      keyId: '',
      requestId: '',
      answerKeys: [],
    })
    const { items, next } = (answer as { body: { items: ArchiveRow[]; next?: string } }).body
    yield items
    if (next === undefined) return
    after = next
  }
}
