/** Timelines of payments that go wrong: a deposit that is held until a person decides, and a webhook that fails. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { giveAddress } from '../../../../test/world/address.ts'
import { textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { catalogue, createDepositWorld, pay, START, type World } from '../../../../test/world/deposits.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { box, makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { listSanctions, PUBLIC_URL, screenAll } from '../../../../test/world/screening.ts'
import { holdsUntilVerified } from '../../merchants/accounts/index.ts'
import { createDelivery, type Delivery } from '../../merchants/webhooks/index.ts'
import { listDeposits } from '../../pay-in/deposits/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { firstPage } from '../../platform/lists/page.ts'
import { createOutbound } from '../../platform/outbound/index.ts'
import { decideFirst } from '../../risk/screening/test-held.ts'
import { createScreenHeld } from './screening.ts'

const MINUTE = 60_000
const { edge, memberOf } = useDashboard({ catalogue })
const outbound = createOutbound({ allowPrivate: ['127.0.0.0/8'], allowHttp: true })
let world: World
let merchantId: string
let member: TestBrowser
let receiver: Server
let delivery: Delivery
let status = 500

/** Credits or holds a deposit from an address. @returns its id */
const deposit = async (from: string, hash: string): Promise<string> => {
  const wanted = { merchantId, blockchain: 'BITCOIN', meta: null } as const
  const address = await giveAddress(world.runtime, TEST_KEYS, wanted)
  const transaction = pay(address, 10_000_000n, { hash })
  const transfers = transaction.transfers.map((transfer) => ({ ...transfer, from: [from] }))
  await world.mine('BITCOIN', height, [{ ...transaction, transfers }])
  height += 1
  world.now += MINUTE
  await world.settle('BITCOIN', height + 10, height + 10)
  const filter = { ids: null, statuses: null, isPlain: true, asset: null, network: null, meta: null, address: null }
  const all = { ...filter, hash, unitsFrom: null, unitsTo: null }
  const page = firstPage(1)
  return (await listDeposits(edge.db, merchantId, all, page)).rows[0]!.id
}
let height = 100

const shown = async (id: string): Promise<string> =>
  textOf(await member.get(`/app/merchants/${merchantId}/payments/deposit/${id}?lang=en`))

beforeAll(async () => {
  world = createDepositWorld(edge.pool, {
    holds: holdsUntilVerified,
    onHeld: [(...all) => createScreenHeld(PUBLIC_URL, () => world.deposits)(...all)],
  })
  merchantId = (await makeMerchant(edge.db, START, { settings: { holdUntilVerified: true } })).id
  member = await memberOf(merchantId, 'developer')
  receiver = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(status).end('the shop sleeps'))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  delivery = createDelivery({
    runtime: createTestRuntime(edge.db, () => world.now),
    database: { url: edge.pool.options.connectionString! },
    outbound,
    untilSettled: true,
    box,
    endpointOf: async () => ({ url, signingKey: 'private-key', webhookSecrets: [] }),
  })
})
afterAll(async () => {
  await delivery.close()
  await outbound.close()
  receiver.close()
  receiver.closeAllConnections()
})

test('a held deposit is being checked, with its screening, and credited once a person has released it', async () => {
  await listSanctions(edge.db, 'XBT', ['bad'], world.moment())
  const id = await deposit('bad', 'ab'.repeat(32))
  const held = await shown(id)
  expect(held).toContain('Being checked')
  expect(held).toContain('Confirmed, being checked: 0.1 BTC')
  expect(held).not.toContain('Confirmed and credited')
  await screenAll(
    createTestRuntime(edge.db, () => world.now),
    catalogue,
    { deposits: world.deposits },
  )
  expect(await shown(id)).toContain('Screening: risk found')
  world.now += MINUTE
  await decideFirst(world, PUBLIC_URL, { event: 'released', actor: 'cli:ann', deciders: 1 })
  const released = await shown(id)
  expect(released).toContain('Screening: released')
  expect(released).toContain('Confirmed and credited: 0.09899 BTC')
  expect(released.indexOf('Confirmed, being checked')).toBeLessThan(released.indexOf('Confirmed and credited'))
})

test('a webhook that fails has its attempts with the answers, until it is delivered', async () => {
  const id = await deposit('good', 'cd'.repeat(32))
  await screenAll(
    createTestRuntime(edge.db, () => world.now),
    catalogue,
    { deposits: world.deposits },
  )
  await runUntilIdle([delivery.job])
  const failing = await shown(id)
  expect(failing).toMatch(/Webhook Replenish \w+: not delivered yet/)
  expect(failing).toMatch(/Attempts: 1 .*: 500/)
  for (let attempt = 1; attempt < 11; attempt += 1) {
    world.now += 61 * MINUTE
    await runUntilIdle([delivery.job])
  }
  const exhausted = await shown(id)
  expect(exhausted).toMatch(/Webhook Replenish \w+: all attempts failed/)
  expect(exhausted).toContain('Attempts: 10')
  const link = /href="([^"]*\/webhooks\/\d+[^"]*)"/
    .exec((await member.get(`/app/merchants/${merchantId}/payments/deposit/${id}?lang=en`)).text)![1]!
    .replaceAll('&amp;', '&')
  const notification = textOf(await member.get(link))
  expect(notification).toContain('All attempts failed')
  expect(notification.match(/the shop sleeps/g)).toHaveLength(11)
  status = 200
  world.now += 25 * 60 * MINUTE
  await runUntilIdle([delivery.job])
  expect(await shown(id)).toMatch(/Webhook Replenish \w+: delivered/)
})
