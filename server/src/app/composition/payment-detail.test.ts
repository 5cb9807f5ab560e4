/** The page of one payment: deposits and invoices that the modules made by a block, a credit and notifications. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { catalogue, createDepositWorld, pay, START } from '../../../../test/world/deposits.ts'
import { giveAddress } from '../../../../test/world/address.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { listDeposits } from '../../pay-in/deposits/index.ts'
import { firstPage } from '../../platform/lists/page.ts'

const { edge, memberOf } = useDashboard({ catalogue })
const HASH = 'ab'.repeat(32)
let member: TestBrowser
let world: ReturnType<typeof createDepositWorld>
let id: string

const pageOf = async (): Promise<string> => {
  const page = await member.get(`/app/merchants/${edge.merchant.id}/payments/deposit/${id}?lang=en`)
  expect(page.status).toBe(200)
  return textOf(page)
}

beforeAll(async () => {
  world = createDepositWorld(edge.pool)
  const wanted = { merchantId: edge.merchant.id, blockchain: 'BITCOIN', meta: 'order <7>' } as const
  const address = await giveAddress(world.runtime, TEST_KEYS, wanted)
  await world.mine('BITCOIN', 100, [pay(address, 10_000_000n, { hash: HASH })])
  const filter = { ids: null, statuses: null, isPlain: true, asset: null, network: null, meta: null, address: null }
  const page = firstPage(10)
  const all = { ...filter, hash: null, unitsFrom: null, unitsTo: null }
  id = (await listDeposits(edge.db, edge.merchant.id, all, page)).rows[0]!.id
  member = await memberOf(edge.merchant.id)
})

describe('the page of a deposit', () => {
  test('shows what is known before it is credited: when it was seen, and by which transaction', async () => {
    const text = await pageOf()
    expect(text).toContain('In progress')
    expect(text).toContain('Seen: 0.1 BTC')
    expect(text).toContain(HASH)
    expect(text).toContain('Open in mempool.space')
    expect(text).toContain('order <7>')
    expect(text).toContain('Nothing was posted yet.')
  })

  test('shows its credit, the fee and its notification once it is confirmed', async () => {
    world.now = START + 60_000
    await world.settle('BITCOIN', 200, 200)
    const text = await pageOf()
    expect(text).toContain('Confirmed and credited: 0.09899 BTC')
    expect(text).toMatch(/Fee.*0\.00101 BTC/)
    expect(text).toMatch(/Webhook Replenish Done: not delivered yet/)
    expect(text.indexOf('Seen:')).toBeLessThan(text.indexOf('Confirmed and credited'))
  })

  test('is found by the hash of its transaction', async () => {
    const found = await member.get(`/app/merchants/${edge.merchant.id}/payments?q=${HASH.toUpperCase()}`)
    expect(found.text).toContain(`/payments/deposit/${id}`)
  })
})

test('ids of another form are answered like unknown ones', async () => {
  for (const path of [`deposit/${randomBytes(4).toString('hex')}`, `none/${id}`, `card/${id}`])
    expect((await member.get(`/app/merchants/${edge.merchant.id}/payments/${path}`)).status).toBe(404)
})
