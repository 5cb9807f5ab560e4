import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import type { Job } from '../jobs/index.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import { expire, forEach, requote } from './commands.ts'
import { isRegistered, type Invoice } from './invoice.ts'
import { BASE_TICKERS } from './quoting.ts'
import type { InvoiceSettings } from './settings.ts'
import { takeEnding, takeUnquoted, takeUnvalued } from './store.ts'

const MOST = 50

export interface InvoiceJobDeps {
  runtime: Runtime
  settings: InvoiceSettings
  everyMs: number
  pause(name: string): Promise<void>
}

/** Ends invoices whose time is over, oldest first. */
export const createExpiryJob = ({ runtime, settings, everyMs, pause }: InvoiceJobDeps): Job => ({
  name: 'invoice expiry',
  everyMs,
  run: async () => {
    const ended = await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const due = await takeEnding(tx, moment.at, MOST)
      await carryOut(tx, await forEach(due, (invoice) => expire(tx, invoice, settings, moment)), moment)
      return due.length
    })
    if (ended > 0) await pause('invoices-expired')
    return ended === MOST
  },
})

/** Renews quotes that are over and values payments that came without a price, wherever there is a fresh price. */
export const createQuoteJob = ({ runtime, settings, everyMs, pause }: InvoiceJobDeps): Job => ({
  name: 'invoice quotes',
  everyMs,
  run: async () => {
    const quoted = await inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const tickers = settings.catalogue.crypto.map(({ ticker }) => ticker)
      const prices = await settings.prices(tx, [...tickers, ...BASE_TICKERS])
      const [priced, bases] = [tickers, [...BASE_TICKERS]].map((some) => some.filter((ticker) => ticker === 'USD' || prices.has(ticker)))
      const due = new Map<string, Invoice>()
      for (const invoice of await takeUnquoted(tx, moment.at, priced!, bases!, MOST)) due.set(invoice.id, invoice)
      for (const invoice of await takeUnvalued(tx, priced!, bases!, MOST)) due.set(invoice.id, invoice)
      const all = [...due.values()].filter(isRegistered)
      await carryOut(tx, await forEach(all, (invoice) => requote(tx, invoice, settings, moment)), moment)
      return all.length
    })
    if (quoted > 0) await pause('invoices-quoted')
    return quoted >= MOST
  },
})
