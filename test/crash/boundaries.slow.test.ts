/**
 * Processes are killed, -9, at the boundaries that are not in a job of the worker: the api between COMMIT and its
 * answer, the watcher around the transaction of a block, the worker around the delivery of a notification, the signer
 * between its log and its answer. Afterwards each order is made once, each deposit is credited once, and a merchant
 * that counts by `webhook-id` has each notification once.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Message, Network } from '../system/connected.ts'
import { useSharedSandbox } from '../system/shared-sandbox.ts'
import { startDyingSigner } from './dying-signer.ts'

const sandbox = useSharedSandbox()
const shop = () => sandbox.merchants[0]
beforeAll(async () => {
  for (const [ticker, amount] of [
    ['USDT', '1000'],
    ['BTC', '1'],
    ['UAH', '10000'],
  ] as const)
    await sandbox.credit(shop(), ticker, amount)
})

const restart = async (role: 'api' | 'worker' | 'watcher', point: string): Promise<void> => {
  await sandbox.kill(role)
  await sandbox.start(role, { BURSAR_SANDBOX_PAUSE: point })
}
const killAt = async (role: 'api' | 'worker' | 'watcher', point: string): Promise<void> => {
  await sandbox.paused(role, point)
  await sandbox.kill(role)
  await sandbox.start(role)
}
const balance = async (ticker: string): Promise<number> =>
  Number((await shop().client.balances.list([ticker]))[0]!.value)
/** Every delivery, also those that come again. */
const deliveries = async (): Promise<Message[]> => {
  const { inbox } = sandbox.description
  return (await (await fetch(`${inbox}/messages?merchantId=${shop().id}`)).json()) as Message[]
}
const statuses = async (id: string): Promise<unknown[]> =>
  (await sandbox.messages(shop()))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    .filter((body) => body['id'] === id)
    .map(({ status }) => status)
const agree = (network: Network): Promise<true> =>
  sandbox.until('the chains agree', async () =>
    (await sandbox.bursar('reconcile', '--network', network, '--full')).text.includes(
      'the ledger is consistent, and the chains agree with it',
    ),
  ) as Promise<true>

/** An order, asked for with a key that makes a repeated request get the first answer. */
interface Order {
  table: string
  place(localId: string): Promise<{ id: string }>
}
const orders: Record<string, Order> = {
  'a withdrawal': {
    table: 'withdrawals',
    place: async (localId) =>
      shop().client.withdrawals.crypto.create(
        {
          ticker: 'USDT',
          blockchain: 'ETHEREUM',
          to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
          amount: '2',
          localId,
        },
        { idempotencyKey: localId },
      ),
  },
  'an exchange': {
    table: 'exchanges',
    place: async (localId) =>
      shop().client.exchange.create(
        { spendTicker: 'USDT', targetTicker: 'USDC', amount: '5', side: 'spend', price: '0.5', localId },
        { idempotencyKey: localId },
      ),
  },
  'a card payout': {
    table: 'card_payouts',
    place: async (localId) =>
      shop().client.withdrawals.fiat.create(
        { ticker: 'UAH', to: '4242424242424242', amount: '1000', localId },
        { idempotencyKey: localId },
      ),
  },
}

describe('the api, killed between COMMIT and its answer', () => {
  test.each(Object.keys(orders))('L4 %s is made once, and the same request gets its answer', async (name) => {
    const { table, place } = orders[name]!
    if (table === 'exchanges')
      await sandbox.until('a price', () =>
        shop()
          .client.exchange.estimate({ spendTicker: 'USDT', targetTicker: 'USDC', amount: '5', side: 'spend' })
          .then(
            () => true,
            () => undefined,
          ),
      )
    const localId = randomUUID()
    await restart('api', 'committed-not-answered')
    const lost = place(localId).then(
      () => 'answered',
      () => 'lost',
    )
    await killAt('api', 'committed-not-answered')
    expect(await lost).toBe('lost')
    const rows = (): Promise<{ id: string }[]> =>
      sandbox.query(`select id from ${table} where local_id = $1`, [localId])
    const [made, ...others] = await rows()
    expect(others).toEqual([])
    expect((await sandbox.until('an answer', () => place(localId).catch(() => undefined))).id).toBe(made!.id)
    expect(await rows()).toHaveLength(1)
    await sandbox.notified(shop(), { id: made!.id, status: 'Done' })
    expect((await statuses(made!.id)).filter((status) => status === 'Done')).toHaveLength(1)
  })
})

const DEPOSITS: Partial<Record<Network, [ticker: string, amount: string]>> = {
  ETHEREUM: ['USDT', '7'],
  BITCOIN: ['BTC', '0.01'],
  TRON: ['USDT', '7'],
}

describe('the watcher, killed around the transaction of a block', () => {
  test.each([
    ['blocks-read', 'ETHEREUM'],
    ['blocks-not-committed', 'ETHEREUM'],
    ['blocks-applied', 'ETHEREUM'],
    ['blocks-not-committed', 'BITCOIN'],
    ['blocks-not-committed', 'TRON'],
  ] as const)('C5 C7 at %s on %s credits a deposit once', async (point, network) => {
    const [ticker, amount] = DEPOSITS[network]!
    const before = await balance(ticker)
    const { address } = await shop().client.addresses.create({ blockchain: network })
    await sandbox.kill('watcher')
    const hash = await sandbox.pay(network, ticker, address, amount)
    await sandbox.mine(network, 1)
    await sandbox.start('watcher', { BURSAR_SANDBOX_PAUSE: `${point}@${network}` })
    await killAt('watcher', `${point}@${network}`)
    await sandbox.mine(network, 8)
    const { id } = (await sandbox.notified(shop(), { hash, status: 'Done' })) as { id: string }
    expect((await statuses(id)).filter((status) => status === 'Done')).toHaveLength(1)
    expect((await balance(ticker)) - before).toBeCloseTo(Number(amount), 8)
    await agree(network)
  })
})

describe('the worker, killed around the delivery of a notification', () => {
  test.each(['notifications-claimed', 'deliveries-not-recorded'])(
    'C6 at %s: the next worker delivers it under the same id, with the same body',
    async (point) => {
      // Otherwise the next worker repeats an earlier notification, and is killed at that one.
      await sandbox.until('earlier deliveries are recorded', async () => {
        const due = await sandbox.query("select 1 from event_streams where state = 'active' and attempts = 0")
        return due.length === 0
      })
      await restart('worker', point)
      const { id: exchanged } = await sandbox.until('an order', () =>
        orders['an exchange']!.place(randomUUID()).catch(() => undefined),
      )
      await killAt('worker', point)
      await sandbox.notified(shop(), { id: exchanged, status: 'Done' })
      const same = await sandbox.until('all deliveries', async () => {
        const found = (await deliveries()).filter(({ body }) => body.includes(exchanged))
        return found.length === (point === 'deliveries-not-recorded' ? 2 : 1) && found
      })
      expect(new Set(same.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
    },
  )
})

describe('the signer, killed between its log and its answer', () => {
  test.each([
    ['ETHEREUM', 'USDT', '3'],
    ['BITCOIN', 'BTC', '0.004'],
  ] as const)('on %s: the payment is made once', async (network, ticker, amount) => {
    const to = await sandbox.outside(network)
    await sandbox.kill('signer')
    const dying = await startDyingSigner(sandbox)
    const { id } = await shop().client.withdrawals.crypto.create({ ticker, blockchain: network, to, amount })
    expect(await dying.ended).toBe('SIGKILL')
    await sandbox.start('signer')
    await sandbox.advance(60_000)
    await sandbox.notified(shop(), { id, status: 'Done' })
    await sandbox.mine(network, 8)
    expect(await sandbox.balanceOf(network, ticker, to)).toBe(amount)
    await agree(network)
  })
})
