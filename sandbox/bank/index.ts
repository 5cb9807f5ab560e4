/**
 * The sandbox's bank: a complete acquirer that moves no money. It accepts orders through its own API, serves the page
 * where a payer enters a card, performs 3-D Secure, notifies the merchant, pays out to cards, refunds, and provides a
 * statement. README.md describes its API and signatures. `control.next` makes it misbehave on demand.
 */
import { join } from 'node:path'
import { startDeliveries } from '../acquirers/deliveries.ts'
import type { Delivery } from '../acquirers/deliveries.ts'
import { createFaults } from '../acquirers/faults.ts'
import { refuseProduction } from '../acquirers/production.ts'
import { openRecords } from '../acquirers/records.ts'
import { serve } from '../http/server.ts'
import type { SandboxServer } from '../http/server.ts'
import { startAlarms } from './alarms.ts'
import { apiRoutes } from './api.ts'
import { controlOf } from './control.ts'
import type { BankControl } from './control.ts'
import { newId } from './context.ts'
import type { Context } from './context.ts'
import { pageRoutes } from './page/routes.ts'
import { decidePayout } from './payouts.ts'
import { reversePayment } from './payments.ts'
import { openBook } from './rows.ts'
import type { Row } from './rows.ts'
import { priceList } from './terms.ts'
import type { Account, PriceList } from './terms.ts'

export type { BankControl } from './control.ts'
export type { Account } from './terms.ts'

export interface BankOptions {
  /** 0: any free port. */
  readonly port: number
  readonly portSetting?: string
  /** The folder of all data of the bank. */
  readonly dir: string
  readonly accounts: readonly Account[]
  readonly prices?: PriceList
  /** The bank's clock, which pages expire and lines are dated by; the real one when absent. */
  readonly now?: () => number
  /** How long a payout is under way; 1,000 ms when absent. */
  readonly payoutMs?: number
  /** The time after which a payment is reversed, if it is to be; 2,000 ms when absent. */
  readonly reverseMs?: number
  /** Pauses between attempts to notify, ms. */
  readonly callbackPauses?: readonly number[]
  readonly log?: (line: string) => void
}

export interface Bank extends SandboxServer {
  readonly control: BankControl
}

/** Quick at first, since a person waits in a sandbox; then as banks do it, for a day. */
const callbackPauses = [1_000, 3_000, 10_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 57_600_000]

/** Throws PortInUse, and an Error when this is production. */
export async function startBank(options: BankOptions): Promise<Bank> {
  refuseProduction('the sandbox bank')
  const { accounts, prices = priceList, now = Date.now, payoutMs = 1_000, reverseMs = 2_000 } = options
  const book = openBook(openRecords<Row>(join(options.dir, 'book.jsonl')))
  const deliveries = startDeliveries({
    records: openRecords<Delivery>(join(options.dir, 'callbacks.jsonl')),
    pauses: options.callbackPauses ?? callbackPauses,
    newId,
  })
  const faults = createFaults(accounts.map(({ name }) => name))
  const alarms = startAlarms((id) => goOn(context, id))
  let url = ''
  const context: Context = {
    accounts,
    prices,
    book,
    faults,
    deliveries,
    url: () => url,
    now,
    payoutMs,
    reverseMs,
    arrange: alarms.arrange,
  }
  const server = await serve({
    name: 'the bank',
    port: options.port,
    ...(options.portSetting === undefined ? {} : { portSetting: options.portSetting }),
    ...(options.log === undefined ? {} : { log: options.log }),
    routes: [...apiRoutes(context), ...pageRoutes(context)],
  })
  url = server.url
  for (const row of book.rows.all()) if ('dueAt' in row && row.dueAt !== undefined) alarms.arrange(row.id, row.dueAt)
  return {
    ...server,
    control: controlOf(context),
    stop: async () => {
      alarms.stop()
      await server.stop()
      await deliveries.stop()
    },
  }
}

function goOn(context: Context, id: string): void {
  const row = context.book.rows.get(id)
  if (row?.kind === 'payout') decidePayout(context, row)
  if (row?.kind === 'payment') reversePayment(context, row)
}
