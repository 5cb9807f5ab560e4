/** Refund claims and card payments of a merchant, and the worker that makes approved refunds: for tests. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createPaymentAcquirer } from '../../../../test/world/acquirer-payments.ts'
import { cardBox } from '../../../../test/world/merchant.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createRoutingTable } from '../../cards/acquiring/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { createPlacingJob } from '../../pay-out/requests/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
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
