import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, type Effects } from '../../ledger/effects/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { expire, judgeShortfall, requote } from './commands.ts'
import { isRegistered, type Invoice } from './invoice.ts'
import { BASE_TICKERS } from './quoting.ts'
import type { InvoiceSettings } from './settings.ts'
import { ending, findDue, lockDue, unmined, unpricedShortfall, unquoted, unvalued, type Due } from './store.ts'

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
    const { at } = momentOf(runtime)
    let ended = 0
    for (const due of [ending(at), unmined(at, settings.minedWithinMs)]) {
      const ids = await findDue(runtime.db, due, MOST)
      await eachDue(runtime, due, ids, (tx, invoice, moment) => expire(tx, invoice, settings, moment))
      ended += ids.length
    }
    if (ended > 0) await pause('invoices-expired')
    return ended >= MOST
  },
})

/**
 * Where there is a fresh price: renews expired quotes, values payments that came without a price, and judges missing
 * parts whose worth was unknown.
 */
export const createQuoteJob = ({ runtime, settings, everyMs, pause }: InvoiceJobDeps): Job => ({
  name: 'invoice quotes',
  everyMs,
  run: async () => {
    const tickers = settings.catalogue.crypto.map(({ ticker }) => ticker)
    const prices = await settings.prices(runtime.db, [...tickers, ...BASE_TICKERS])
    const [priced, bases] = [tickers, [...BASE_TICKERS]].map((some) =>
      some.filter((ticker) => ticker === 'USD' || prices.has(ticker)),
    )
    let quoted = 0
    for (const due of [unquoted(momentOf(runtime).at, priced!, bases!), unvalued(priced!, bases!)]) {
      const ids = await findDue(runtime.db, due, MOST)
      await eachDue(runtime, due, ids, async (tx, invoice, moment) =>
        isRegistered(invoice) ? requote(tx, invoice, settings, moment) : undefined,
      )
      quoted += ids.length
    }
    const short = unpricedShortfall(tickers.filter((ticker) => prices.has(ticker)))
    const ids = await findDue(runtime.db, short, MOST)
    await eachDue(runtime, short, ids, async (tx, invoice, moment) =>
      isRegistered(invoice) ? judgeShortfall(tx, invoice, settings, moment) : undefined,
    )
    quoted += ids.length
    if (quoted > 0) await pause('invoices-quoted')
    return quoted >= MOST
  },
})

/** Handles each in its own transaction, so that a failure delays no other. */
const eachDue = (
  runtime: Runtime,
  due: Due,
  ids: readonly string[],
  work: (tx: Tx, invoice: Invoice, moment: Moment) => Promise<Effects | undefined>,
): Promise<void> =>
  forEachIsolated(ids, (id) =>
    inTransaction(runtime.db, async (tx) => {
      const moment = momentOf(runtime)
      const invoice = await lockDue(tx, id, due)
      const effects = invoice && (await work(tx, invoice, moment))
      if (effects) await carryOut(tx, effects, moment)
    }),
  )
