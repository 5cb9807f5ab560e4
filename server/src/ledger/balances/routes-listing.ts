import { listEntries as operation } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { readTicker } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { listEntries } from '../postings/index.ts'

export interface EntryListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
}

const isVersion = (text: string): boolean => /^\d{1,15}$/.test(text)

/** The list of the entries of a balance, each with the balance after it (`contract.md` section 20). */
export const entryListRoute = ({ runtime: { db, clock }, catalogue }: EntryListDeps): Route =>
  listRoute(
    operation,
    clock,
    async ({ merchantId, query, page }) => {
      const { ticker, scale } = readTicker(query.ticker, [...catalogue.crypto, ...catalogue.fiat])!
      const { rows, next } = await listEntries(db, merchantId, ticker, page)
      const items = rows.map(({ transferId, at, posted, postedAfter, held, heldAfter, kind, cause }) => ({
        id: transferId,
        time: at.getTime(),
        ticker,
        amount: formatUnits(posted, scale),
        balance: formatUnits(postedAfter, scale),
        heldChange: formatUnits(held, scale),
        held: formatUnits(heldAfter, scale),
        kind,
        cause,
      }))
      return { items, next }
    },
    isVersion,
  )
