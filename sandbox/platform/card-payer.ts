/** A payer with a card: completes the form of a fiat invoice's page if necessary, and pays on the acquirer's page. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import type { AssetSettings } from '../../server/src/market/assets/index.ts'
import { createDb, createPool, inTransaction } from '../../server/src/platform/db/index.ts'
import type { Db } from '../../server/src/platform/db/index.ts'
import { carryOut } from '../../server/src/ledger/effects/index.ts'
import { FiatPayerRefusal, findForPayer, proceed } from '../../server/src/pay-in/fiat-invoices/index.ts'
import type { FiatInvoiceForPayer, FiatInvoiceSettings } from '../../server/src/pay-in/fiat-invoices/index.ts'
import { readAcquirers } from '../../server/src/app/composition/fiat.ts'
import { readClockOffset } from '../../server/src/platform/runtime/business-clock.ts'
import { payOnPage } from '../bank/payer.ts'
import type { PageAddress } from '../bank/payer.ts'
import { testCards } from '../bank/test-cards.ts'
import type { InvoicePayment } from '../control/index.ts'
import { Refusal } from '../http/refusal.ts'
import { newId } from './exchange.ts'

export interface CardPayer {
  /** undefined when there is no fiat invoice with that id */
  pay(payment: InvoicePayment): Promise<object | undefined>
  close(): Promise<void>
}

const WAIT_MS = 120_000

/** @param options.acquirers the JSON of `BURSAR_ACQUIRERS_FILE` */
export function openCardPayer(options: {
  databaseUrl: string
  assets: AssetSettings
  acquirers: unknown
  publicUrl: string
}): CardPayer {
  const pool = createPool({ url: options.databaseUrl, applicationName: 'bursar sandbox card payer', max: 1 })
  const db = createDb(pool)
  const { table } = readAcquirers(options.acquirers)
  const settings: FiatInvoiceSettings = {
    catalogue: createCatalogue(options.assets),
    table,
    publicUrl: options.publicUrl,
  }
  return {
    pay: async ({ id, how }) => {
      const found = await findForPayer(db, id, settings, await businessNow(db))
      if (found === undefined) return undefined
      if (how !== 'exact')
        throw new Refusal(
          'how: a card pays a fiat invoice exactly or not at all; cards that fail are at GET /bank/cards',
        )
      await continueOn(db, found, settings)
      const page = await acquirersPage(db, id, settings)
      const [card] = testCards
      await payOnPage(page, card!.number)
      return { page: page.url, card: card!.number }
    },
    close: () => pool.end(),
  }
}

const businessNow = async (db: Db): Promise<Date> => new Date(Date.now() + (await readClockOffset(db)))

async function continueOn(
  db: Db,
  { invoice, status }: FiatInvoiceForPayer,
  settings: FiatInvoiceSettings,
): Promise<void> {
  const offer = status.at === 'open' ? status.offered[0] : undefined
  const choice = {
    language: 'uk',
    ...(invoice.ticker === null ? { ticker: offer?.ticker } : {}),
    ...(invoice.units === null ? { value: '15000' } : {}),
    email: invoice.email ?? 'payer@example.com',
  } as const
  const moment = { at: await businessNow(db), newId }
  try {
    await inTransaction(db, async (tx) => carryOut(tx, await proceed(tx, invoice.id, choice, settings, moment), moment))
  } catch (error) {
    if (error instanceof FiatPayerRefusal) throw new Refusal(`id: its payer can not continue: ${error.reason}`)
    throw error
  }
}

async function acquirersPage(db: Db, id: string, settings: FiatInvoiceSettings): Promise<PageAddress> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const { status } = (await findForPayer(db, id, settings, await businessNow(db)))!
    if (status.at === 'leaving') return status.page
    if (performance.now() > deadline)
      throw new Refusal(`id: no acquirer has given a page: it is ${status.at}`, { status: 503, code: 107 })
    await sleep(100)
  }
}
