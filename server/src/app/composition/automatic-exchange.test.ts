/** The automatic exchange as members change it, with the rights of the api. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { textOf, useDashboard } from '../../../../test/world/dashboard.ts'
import { catalogue, marketsAt, PRICES } from '../../../../test/world/exchange.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { settingsOf } from '../../merchants/accounts/index.ts'

const { edge, memberOf } = useDashboard({ catalogue, markets: async () => marketsAt(PRICES, edge.clock.ms) })
const shop = async (): Promise<string> => (await makeMerchant(edge.db, edge.clock.ms)).id
const path = (merchantId: string): string => `/app/merchants/${merchantId}/exchange`
const form = (target: string, shown: string) => ({
  do: 'automatic',
  'exchange-automatic': target,
  'exchange-automatic-shown': shown,
})
const targetOf = async (merchantId: string): Promise<string | null> =>
  (await settingsOf(edge.db, merchantId)).defaultTarget
const auditOf = async (merchantId: string): Promise<unknown[]> =>
  (
    await sql<{ detail: unknown }>`select detail from dashboard_audit
      where merchant_id = ${merchantId} and action = 'changed automatic exchange' order by at, id`.execute(edge.db)
  ).rows.map(({ detail }) => detail)

test('a member of finance chooses an asset, and none again; each change is in the audit log once', async () => {
  const merchantId = await shop()
  const browser = await memberOf(merchantId, 'finance')
  expect(textOf(await browser.get(path(merchantId)))).toContain('Payments stay in the asset in which they were paid.')
  const both = await Promise.all([1, 2].map(() => browser.post(path(merchantId), form('USDT', ''))))
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect(await targetOf(merchantId)).toBe('USDT')
  const page = await browser.get(`${path(merchantId)}?said=saved&lang=en`)
  expect(textOf(page)).toContain('The automatic exchange is changed.')
  expect(page.text).toMatch(/<option value="USDT" selected>/)
  edge.clock.ms += 1_000
  expect((await browser.post(path(merchantId), form('', 'USDT'))).status).toBe(303)
  expect(await targetOf(merchantId)).toBeNull()
  expect(await auditOf(merchantId)).toEqual([
    { name: 'USDT', from: 'none' },
    { name: 'none', from: 'USDT' },
  ])
  const owner = await memberOf(merchantId, 'owner')
  expect(textOf(await owner.get(`/app/merchants/${merchantId}/audit?lang=en`))).toContain(
    'Changed the automatic exchange: USDT',
  )
})

test('a form that shows an old choice changes nothing, and neither does an asset that is not traded', async () => {
  const merchantId = await shop()
  const browser = await memberOf(merchantId, 'owner')
  await browser.post(path(merchantId), form('BTC', ''))
  const old = await browser.post(path(merchantId), form('USDT', ''))
  expect([old.status, textOf(old).includes('Another person has changed')]).toEqual([409, true])
  expect(old.text).toMatch(/<option value="USDT" selected>/)
  for (const target of ['NONE', 'btc', '__proto__', '<b>'])
    expect([target, (await browser.post(path(merchantId), form(target, 'BTC'))).status]).toEqual([target, 400])
  expect(await targetOf(merchantId)).toBe('BTC')
  expect(await auditOf(merchantId)).toHaveLength(1)
})

test('another role sees the rule without a form, and its form is refused', async () => {
  const merchantId = await shop()
  for (const role of ['admin', 'approver', 'viewer'] as const) {
    const browser = await memberOf(merchantId, role)
    const page = await browser.get(path(merchantId))
    expect([role, page.status, page.text.includes('exchange-automatic')]).toEqual([role, 200, false])
    expect([role, (await browser.post(path(merchantId), form('USDT', ''))).status]).toEqual([role, 403])
  }
  expect(await targetOf(merchantId)).toBeNull()
})

test('a change needs a recent proof', async () => {
  const merchantId = await shop()
  const browser = await memberOf(merchantId, 'finance')
  edge.clock.ms += 6 * 60_000
  const answer = await browser.post(path(merchantId), form('USDT', ''))
  expect(answer.status).toBe(403)
  expect(answer.text).toMatch(/<option value="USDT" selected>/)
  expect(await targetOf(merchantId)).toBeNull()
})
