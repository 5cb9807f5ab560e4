/**
 * The report of a chaos run when money or orders are lost, double or different. The API, the control server and the
 * bank are doubles that answer as `contract/` and `sandbox/control` do: the real ones give no wrong answers to find.
 */
import type { EventRecord } from '@bursar/sdk'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { serve } from '../http/server.ts'
import type { SandboxServer } from '../http/server.ts'
import { compare } from './comparing.ts'
import type { Chaos, ChaosMerchant, Order } from './orders.ts'
import { whatWaits } from './waiting.ts'
import { webhookKey } from './webhooks.ts'
import type { Webhooks } from './webhooks.ts'

let control: SandboxServer
let onChain: Record<string, string>
let payouts: object[]
let paidBefore: Set<string>
let events: EventRecord[]
let found: Record<string, { id: string; status: string }>
let balance: string
let bodies: Map<string, string>
let merchant: ChaosMerchant
let orders: Order[]

beforeAll(async () => {
  const get = (path: string, handle: (query: Readonly<Record<string, string>>) => object) => ({
    method: 'GET',
    path: new RegExp(`^${path}$`),
    name: `GET ${path}`,
    handle: async ({ query }: { query: Readonly<Record<string, string>> }) => handle(query),
  })
  const routes = [
    get('/balance', ({ address }) => ({ value: onChain[address!] ?? '0' })),
    get('/bank/find', () => ({ payouts })),
    get('/transaction', ({ hash }) => ({ hash, status: 'confirmed', confirmations: 3 })),
  ]
  control = await serve({ name: 'the control server', port: 0, routes })
})

afterAll(() => control.stop())

/** A merchant with 100 USDT that withdrew 3 to one address outside, for a fee of 0.5. */
beforeEach(() => {
  events = []
  bodies = new Map()
  payouts = []
  paidBefore = new Set()
  found = {}
  balance = '96.5'
  onChain = { outside: '3' }
  const client = {
    events: { list: async ({ after }: { after: number }) => ({ events: events.slice(after), next: events.length }) },
    withdrawals: { find: async (localId: string) => found[localId] },
    balances: { list: async () => [{ ticker: 'USDT', value: balance }] },
  }
  merchant = {
    name: 'Chaos shop',
    id: 'm',
    privateKey: '',
    notificationsUrl: '',
    client: client as unknown as ChaosMerchant['client'],
    granted: { USDT: '100' },
  }
  orders = [{ ...order('withdrawal', 'w-1'), id: 'id-1', amount: '3', to: 'outside' }]
  found['w-1'] = { id: 'id-1', status: 'Done' }
  notify('id-1', 'Withdraw', 'Pending', withdrawal)
  notify('id-1', 'Withdraw', 'Done', withdrawal)
})

const withdrawal = { ticker: 'USDT', amount: '3', fee: '0.5', localId: 'w-1' }

const order = (kind: Order['kind'], name: string): Order => ({
  kind,
  merchant,
  name,
  state: 'accepted',
  blockchain: 'ETHEREUM',
  ticker: 'USDT',
})

/** A notification that is in the merchant's list and was received. */
const notify = (objectId: string, kind: string, status: string, body: object): void => {
  const sequence = events.length + 1
  const whole = { id: objectId, kind, status, ...body }
  events.push({ sequence, id: `n-${sequence}`, objectId, kind, status, createdAt: 0, body: whole } as never)
  bodies.set(webhookKey(merchant, `n-${sequence}`), JSON.stringify(whole))
}

const chaos = (): Chaos =>
  ({
    sandbox: { control: control.url },
    merchants: [merchant],
    orders,
    paidBefore,
    tally: { kills: {}, pauses: 0, noAnswer: 0 },
    requireRunning: () => {},
  }) as unknown as Chaos
const problems = async (): Promise<string[]> =>
  (await compare(chaos(), { bodies, problems: [] } as unknown as Webhooks)).problems
const withdrawn = 'withdrawal w-1 of Chaos shop (id-1)'

test('nothing is reported when everything agrees', async () => {
  expect(await problems()).toEqual([])
})

test('a receiver that got the amount twice, or nothing', async () => {
  onChain = { outside: '6' }
  expect(await problems()).toEqual([`${withdrawn}: DOUBLE, it is Done and the receiver got 6 USDT`])
  onChain = {}
  expect(await problems()).toEqual([`${withdrawn}: LOST, it is Done and the receiver got 0 USDT`])
})

test('a withdrawal that failed, and paid', async () => {
  events.pop()
  notify('id-1', 'Withdraw', 'Failed', withdrawal)
  found['w-1'] = { id: 'id-1', status: 'Failed' }
  balance = '100'
  expect(await problems()).toEqual([`${withdrawn}: DOUBLE, it is Failed and the receiver got 3 USDT`])
})

test('an answered order that its localId does not find, or that nothing was notified of', async () => {
  found = {}
  expect(await problems()).toEqual([`${withdrawn}: LOST, its localId finds nothing`])
  events = []
  bodies = new Map()
  balance = '100'
  expect(await problems()).toEqual([`${withdrawn}: LOST, it was accepted and has no notification`])
})

test('one localId that exists twice', async () => {
  notify('id-2', 'Withdraw', 'Done', withdrawal)
  balance = '93'
  expect(await problems()).toEqual([`${withdrawn}: DOUBLE, it exists as id-1 and id-2`])
})

test('an order that has not ended, or ended twice', async () => {
  notify('id-1', 'Withdraw', 'Done', withdrawal)
  expect(await problems()).toEqual([`${withdrawn}: DOUBLE, it ended as Done, Done`])
  events.length = 1
  bodies = new Map([...bodies].slice(0, 1))
  found['w-1'] = { id: 'id-1', status: 'Pending' }
  expect(await problems()).toEqual([`${withdrawn}: has not ended, its last status is Pending`])
})

test('a refused order that exists all the same', async () => {
  orders[0]!.state = 'refused'
  expect(await problems()).toEqual([`${withdrawn}: is refused, and exists or was paid all the same`])
})

test('a payment of a deposit that is credited twice, or with another amount', async () => {
  const body = { ticker: 'USDT', amount: '25', fee: '0', hash: '0xab' }
  orders.push({ ...order('deposit', 'd-1'), amount: '25', hash: '0xab', to: 'ours' })
  notify('id-3', 'Replenish', 'Done', body)
  balance = '121.5'
  expect(await problems()).toEqual([])
  notify('id-4', 'Replenish', 'Done', body)
  balance = '146.5'
  expect(await problems()).toEqual(['deposit d-1 of Chaos shop: DOUBLE, it exists as id-3 and id-4'])
  events.length = 2
  bodies = new Map([...bodies].slice(0, 2))
  notify('id-3', 'Replenish', 'Done', { ...body, amount: '24' })
  balance = '120.5'
  expect(await problems()).toEqual(['deposit d-1 of Chaos shop: 25 was asked for or paid, and it ended with 24'])
})

test('a card that was paid twice', async () => {
  const card = '4242 42** **** 4242'
  const payout = { status: 'succeeded', amount: '1000.00', card }
  orders = [{ ...order('card payout', 'w-1'), id: 'id-1', amount: '3', card }]
  payouts = [{ ...payout, id: 'p-1', amount: '3.00' }]
  expect(await problems()).toEqual([])
  payouts.push(...payouts, { ...payout, status: 'refused' })
  expect(await problems()).toEqual([
    'card payout w-1 of Chaos shop (id-1): DOUBLE, it is Done and the receiver got 3.00 and 3.00',
  ])
})

test('a payout to the same card by an earlier run of the same seed does not belong to this run', async () => {
  const card = '4242 42** **** 4242'
  orders = [{ ...order('card payout', 'w-1'), id: 'id-1', amount: '3', card }]
  payouts = ['p-1', 'p-2'].map((id) => ({ id, status: 'succeeded', amount: '3.00', card }))
  expect(await problems()).toHaveLength(1)
  paidBefore.add('p-1')
  expect(await problems()).toEqual([])
})

test('a webhook that was not received, that the list lacks, or that has another body', async () => {
  const key = webhookKey(merchant, 'n-2')
  const body = bodies.get(key)!
  bodies.delete(key)
  const notification = 'notification n-2 of Chaos shop (Withdraw id-1 Done)'
  expect(await problems()).toEqual([`${notification}: its webhook was not received`])
  bodies.set(key, body.replace('0.5', '0.4'))
  expect(await problems()).toEqual([`${notification}: its webhook has another body`])
  bodies.set(key, body).set(webhookKey(merchant, 'n-9'), body)
  expect(await problems()).toEqual(["webhook m n-9: the merchant's list lacks it"])
})

test('an order that no actor placed', async () => {
  notify('id-7', 'Withdraw', 'Done', { ...withdrawal, localId: undefined })
  balance = '93'
  expect(await problems()).toEqual(['Withdraw id-7 of Chaos shop: no actor placed it'])
})

test('a balance that differs in the last digit', async () => {
  balance = '96.500001'
  expect(await problems()).toEqual(['balance of Chaos shop: 96.500001 USDT, and should be 96.5'])
})

test('a waiting order is listed with the reason', async () => {
  orders.push(
    { ...order('deposit', 'd-1'), amount: '25', hash: '0xab' },
    { ...order('crypto invoice', 'i-1'), id: 'id-2', reason: 'its payer could not pay: no answer' },
    { ...order('withdrawal', 'w-2'), id: 'id-3' },
    { ...order('exchange', 'e-1'), id: 'id-4' },
    { ...order('exchange', 'e-2'), state: 'refused' },
  )
  notify('id-3', 'Withdraw', 'Pending', { ...withdrawal, localId: 'w-2' })
  notify('id-4', 'Exchange', 'Done', { localId: 'e-1' })
  bodies.delete(webhookKey(merchant, `n-${events.length}`))
  const webhooks = { bodies, problems: [], hasEnded: ({ name }: Order) => name === 'w-1' } as unknown as Webhooks
  expect(await whatWaits(chaos(), webhooks)).toEqual([
    'waits: deposit d-1 of Chaos shop',
    '  0xab: confirmed, 3 blocks',
    'waits: crypto invoice i-1 of Chaos shop',
    '  id-2: its payer could not pay: no answer',
    'waits: withdrawal w-2 of Chaos shop',
    '  id-3: Pending',
    'waits: exchange e-1 of Chaos shop',
    '  id-4: Done, webhooks not received: Done',
  ])
})
