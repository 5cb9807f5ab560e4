/** Erasing the address of a payer by its page, with the rights of the api; the worker erases. */
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { fieldOf, textOf, useDashboard } from '../../../../test/world/dashboard.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createErasingJob } from '../../dashboard/payers/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { makeClaim } from './test-refunds.ts'

const { edge, memberOf } = useDashboard()
// The invoices of claims are inserted raw: their money is in no books.
afterAll(() => emptyTables(edge.db))
const runtime = () => createTestRuntime(edge.db, () => edge.clock.ms)
const PAYER = { email: 'Anna@payer.example' }
const emailOf = async (invoice: string) =>
  (await sql<{ email: string | null }>`select email from crypto_invoices where id = ${invoice}`.execute(edge.db))
    .rows[0]!.email
const erasures = async (merchantId: string) =>
  (
    await sql<{
      emails: string[]
      isEnded: boolean
    }>`select emails, ended_at is not null as "isEnded" from payer_erasures
      where merchant_id = ${merchantId}`.execute(edge.db)
  ).rows

test('erases the address at one merchant, once for a form that is sent twice, after a confirmation and a proof', async () => {
  const [shop, other] = [(await makeMerchant(edge.db, edge.clock.ms)).id, edge.merchant.id]
  const world = { db: edge.db, runtime: runtime() }
  const [own, others] = [await makeClaim(world, shop, 1_000n, PAYER), await makeClaim(world, other, 1_000n, PAYER)]
  const path = `/app/merchants/${shop}/payers/erase`
  const admin = await memberOf(shop, 'admin')
  expect((await admin.get(`/app/merchants/${shop}/payments/crypto/${own.invoice}`)).text).toContain(path)
  expect((await admin.post(path, { do: 'check', 'payer-email': 'anna' })).status).toBe(400)
  const check = await admin.post(path, { do: 'check', 'payer-email': 'anna@payer.example' })
  expect(textOf(check)).toContain('This can not be undone.')
  expect(await erasures(shop)).toEqual([])
  const form = { do: 'erase', form: fieldOf(check, 'form'), 'payer-email': 'anna@payer.example' }
  const answers = await Promise.all([1, 2].map(() => admin.post(path, form)))
  expect(answers.map(({ status }) => status)).toEqual([303, 303])
  expect(await erasures(shop)).toHaveLength(1)
  await runUntilIdle([createErasingJob(runtime(), 1), createErasingJob(runtime(), 1)])
  expect([await emailOf(own.invoice), await emailOf(others.invoice)]).toEqual([null, PAYER.email])
  expect(await erasures(shop)).toEqual([{ emails: [], isEnded: true }])
  const { rows } = await sql<{ detail: string }>`select detail::text as detail from dashboard_audit
    where merchant_id = ${shop} and action = 'erased payer'`.execute(edge.db)
  expect(rows).toHaveLength(1)
  expect(rows[0]!.detail).not.toContain('payer.example')
  edge.clock.ms += 6 * 60_000
  expect((await admin.post(path, { ...form, form: own.claim })).status).toBe(403)
})

test.each(['finance', 'approver', 'support', 'developer', 'viewer'] as const)('%s may not erase', async (role) => {
  const member = await memberOf(edge.merchant.id, role)
  const path = `/app/merchants/${edge.merchant.id}/payers/erase`
  expect((await member.get(path)).status).toBe(403)
  expect((await member.post(path, { do: 'erase', 'payer-email': 'a@b.example' })).status).toBe(403)
})
