/** Refund claims and card payments of a merchant, and the worker that makes approved refunds: for tests. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { createPaymentAcquirer } from '../../../../test/world/acquirer-payments.ts'
import { fieldOf, textOf, type useDashboard } from '../../../../test/world/dashboard.ts'
import { catalogue as fiatCatalogue, openFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { cardBox } from '../../../../test/world/merchant.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createRoutingTable } from '../../cards/acquiring/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { createPlacingJob } from '../../pay-out/requests/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createRefundMakers } from './refunds.ts'

export const PAYER = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

/** An expired invoice of 1 BTC of which a part was credited, and the payer's claim to that part. @param paid satoshi */
export const makeClaim = async (
  { db, runtime }: { db: Db; runtime: Runtime },
  merchantId: string,
  paid: bigint,
  { name = 'Order 7', email = 'payer@example.com' }: { name?: string; email?: string } = {},
): Promise<{ claim: string; invoice: string }> => {
  const [claim, invoice, at] = [runtime.newId(), runtime.newId(), new Date(runtime.clock.business())]
  await withoutTriggers(db, async (tx) => {
    // Raw: an expired invoice takes days and a chain; tests of claims make it so.
    await sql`insert into crypto_invoices(merchant_id, id, state, name, email, language, ticker, blockchain, units, address,
        address_id, paid_units, fee_units, client_expires_at, expires_at, created_at, moved_at)
      values (${merchantId}, ${invoice}, 'expired', ${name}, ${email}, 'en', 'BTC', 'BITCOIN', 100000000, ${`a${invoice}`},
        ${randomUUID()}, ${paid}, 0, ${at}, ${at}, ${at}, ${at})`.execute(tx)
    // Raw: the claim of that invoice.
    await sql`insert into refund_claims(merchant_id, id, invoice_id, state, refund_address, requested_at)
      values (${merchantId}, ${claim}, ${invoice}, 'requested', ${PAYER}, ${at})`.execute(tx)
  })
  return { claim, invoice }
}

/** Makes the refunds, files and card payouts that are approved, as a worker does. */
export const runRefunds = async (runtime: Runtime, catalogue: Catalogue): Promise<void> => {
  const table = createRoutingTable([createPaymentAcquirer('first')])
  const rules = { catalogue, bitcoinChain: 'regtest' as const }
  const world = { catalogue, publicUrl: 'https://pay.example', acquirers: { byName: new Map(), table } }
  const stops = createStopsReader(runtime.db, runtime.clock.now)
  const toCards = { rules: { catalogue, routing: table }, cards: cardBox, stops }
  const job = createPlacingJob({ runtime, rules, refunds: createRefundMakers(world, rules), toCards }, 1)
  await runUntilIdle([job])
}

/** A merchant with a paid card payment of 100 UAH, and two members who refund it through their pages. */
export const openRefundShop = async ({
  edge,
  memberOf,
}: Pick<ReturnType<typeof useDashboard>, 'edge' | 'memberOf'>) => {
  const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
  const fiat = await openFiatInvoices({ url: edge.pool.options.connectionString!, pool: edge.pool, db: edge.db })
  fiat.now = edge.clock.ms
  const { merchantId } = fiat
  const [maker, checker] = [await memberOf(merchantId, 'finance'), await memberOf(merchantId, 'approver')]
  const { reference: payment, id: invoice } = await fiat.paidInvoice()
  await giveMoney(runtime, { merchantId, asset: 'UAH' }, 10_000n)
  const pathOf = (page: string): string => `/app/merchants/${merchantId}/${page}`
  const ask = async (amount: string): Promise<string> => {
    const page = pathOf(`refunds/cards/${payment}`)
    const shown = await maker.get(page)
    const [formKey, refunded] = ['form-key', 'refunded'].map((name) => fieldOf(shown, name))
    const form = { 'form-key': formKey!, refunded: refunded!, 'refund-amount': amount, 'refund-reason': 'damaged' }
    const asked = await maker.post(page, form)
    expect(asked.status, textOf(asked)).toBe(303)
    return asked.headers['location'] as string
  }
  const approve = async (path: string): Promise<void> => {
    const approved = await checker.post(path, { do: 'approve', shown: fieldOf(await checker.get(path), 'shown') })
    expect(approved.status, textOf(approved)).toBe(303)
    await runRefunds(runtime, fiatCatalogue)
    fiat.now = edge.clock.ms
    await fiat.work()
  }
  const refund = async (amount: string): Promise<void> => approve(await ask(amount))
  return { fiat, merchantId, maker, payment, invoice, pathOf, ask, approve, refund }
}
