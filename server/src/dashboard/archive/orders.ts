/** The tables of an archive that are the lists of the API: they have the same items, read by the same code. */
import { listEntries, listPage, operations } from '@bursar/contract'
import type { Route } from '../../platform/api/route.ts'
import { cursorOf } from '../../platform/lists/reading.ts'
import { textOf, unitsOf } from './amounts.ts'
import { pageOf, ROWS, type ArchiveRow, type Subject } from './subject.ts'

const LISTS = [
  ['listCryptoInvoices', 'Crypto invoices, as the API shows them.'],
  ['listFiatInvoices', 'Card invoices, as the API shows them.'],
  ['listPaymentLinks', 'Payment links, as the API shows them.'],
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

/** Entries of one kind with one kind of cause. */
interface Line {
  cause: string
  kind: string
  amount: bigint
  entries: number
}

/**
 * The entries of the balances of a merchant, those of each asset newest first, and the statement of each asset from its
 * first entry on, which is added up while the entries are read.
 * @param versions the version of the newest entry of each asset: later entries are not in the archive
 */
export const ledgerSubjects = (
  routes: readonly Route[],
  merchantId: string,
  versions: readonly { asset: string; version: number }[],
): [entries: Subject, statement: Subject] => {
  const route = routeOf(routes, listEntries.id)
  const statements = new Map<string, Map<string, Line>>()
  async function* pages(): AsyncGenerator<readonly ArchiveRow[]> {
    for (const { asset, version } of versions) {
      const lines = new Map<string, Line>()
      statements.set(asset, lines)
      const query = { ticker: asset, after: cursorOf(listEntries.id, String(version + 1)) }
      for await (const rows of pagesOf(route, merchantId, query)) {
        for (const row of rows) addTo(lines, row)
        yield rows
      }
    }
  }
  const entries = {
    name: 'entries',
    columns: listEntries.csv!,
    about: 'Every entry of the balance of each asset, newest first, with the balance after it.',
    pages: pages(),
  }
  const statement = {
    name: 'statement',
    columns: ['ticker', 'line', 'kind', 'amount', 'entries'],
    about: 'Of each asset: the opening balance, the sums of its entries by cause and kind, and the closing balance.',
    pages: pageOf(async () => [...statements].flatMap(([ticker, lines]) => statementOf(ticker, [...lines.values()]))),
  }
  return [entries, statement]
}

const addTo = (lines: Map<string, Line>, row: ArchiveRow): void => {
  const { kind, cause, amount } = row as { kind: string; cause: { kind: string }; amount: string }
  const units = unitsOf(amount)
  // Holds and their releases change no balance.
  if (units === 0n) return
  const key = `${cause.kind}/${kind}`
  const line = lines.get(key) ?? { cause: cause.kind, kind, amount: 0n, entries: 0 }
  lines.set(key, { ...line, amount: line.amount + units, entries: line.entries + 1 })
}

const statementOf = (ticker: string, lines: readonly Line[]): ArchiveRow[] => {
  const closing = lines.reduce((sum, { amount }) => sum + amount, 0n)
  const sorted = lines.toSorted((a, b) => (`${a.cause}/${a.kind}` < `${b.cause}/${b.kind}` ? -1 : 1))
  return [
    { ticker, line: 'opening', kind: null, amount: '0', entries: null },
    ...sorted.map(({ cause, kind, amount, entries }) => ({
      ticker,
      line: cause,
      kind,
      amount: textOf(amount),
      entries,
    })),
    { ticker, line: 'closing', kind: null, amount: textOf(closing), entries: null },
  ]
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
