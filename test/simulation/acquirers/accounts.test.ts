/** The adapters against the accounts of the simulation: both sides have the same books. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../sandbox/random.ts'
import { readAcquirersConfig, type Acquirer } from '../../../server/src/adapters/acquirers/index.ts'
import { createFaults } from '../faults.ts'
import { createVirtualClock } from '../virtual.ts'
import type { SimulatedAccount } from './account.ts'
import { startBank } from './bank.ts'
import { startEmulated } from './emulated.ts'
import { INTERFACES, type Interface } from './interfaces.ts'

const GOOD_CARD = '4242424242424242'
/** All of them refuse it, for too little money. */
const REFUSED_CARD = '4000000000009995'
const closes: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close()
})

const start = async ({ emulated, ...rest }: Interface): Promise<{ account: SimulatedAccount; adapter: Acquirer }> => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-acquirers-'))
  closes.push(() => rmSync(dir, { recursive: true }))
  // This draws neither a lost callback nor an outcome for the first orders.
  const random = { ...createRandom('accounts'), next: () => 0.99, chance: () => false }
  const options = {
    name: 'one',
    dir,
    clock: createVirtualClock(Date.now()),
    faults: createFaults(createRandom('none')),
    random,
  }
  const account =
    emulated === undefined ? await startBank(options) : await startEmulated({ ...rest, emulated }, options)
  closes.push(() => account.stop())
  const secretFile = (name: string, secret: string): string => {
    const file = join(dir, name)
    writeFileSync(file, secret, { mode: 0o600 })
    return file
  }
  const entry = account.interface.entry({ name: account.name, url: account.front.url }, secretFile)
  return { account, adapter: readAcquirersConfig({ accounts: [entry] }).accounts[0]!.acquirer }
}

const UNITS = 20_000_00n

type World = Awaited<ReturnType<typeof start>>

/** A payer at the page of a new payment. */
const open = async ({ account, adapter }: World) => {
  const reference = randomUUID()
  const [ticker] = account.interface.currencies
  const page = await adapter.createPayment({
    reference,
    ticker: ticker!,
    units: UNITS,
    description: 'Order f-1',
    callbackUrl: 'http://127.0.0.1:1/acquirers/one/callback',
    returnUrl: 'http://127.0.0.1:1/',
    email: 'payer@example.com',
    language: 'uk',
    expiresAt: Date.now() + 900_000,
  })
  const way = page.method === 'POST' ? { fields: new URLSearchParams({ ...page.fields }) } : {}
  // A payer who returns to the invoice's page goes the same way again.
  for (let times = 0; times < 2; times += 1) expect(await account.open({ url: page.url, ...way })).toBe(reference)
  return {
    reference,
    pay: (card: string, paying: 'as ordered' | 'another amount' = 'as ordered') => account.pay(reference, card, paying),
    state: () => adapter.paymentState(reference, page.acquirerReference),
  }
}

describe.each(INTERFACES.map((one) => [one.name, one] as const))('%s', (_, spoken) => {
  const ticker = spoken.currencies[0]!

  test('a payer pays on the page, and the adapter acknowledges the callback', async () => {
    const world = await start(spoken)
    const { reference, pay, state } = await open(world)
    expect(pay(GOOD_CARD)).toBe('succeeded')
    expect(await state()).toMatchObject({ kind: 'succeeded', ticker, units: UNITS })
    const paid = { reference, description: 'Order f-1', status: 'succeeded', currency: ticker, paid: UNITS }
    expect(world.account.payments()).toMatchObject([{ ...paid, isHeard: false }])
    await world.account.callbacks.attemptAll(async ({ url, headers, body }) => {
      const said = { headers: { ...headers }, url: new URL(url).pathname, body: Buffer.from(body) }
      return world.adapter.readCallback(said).ack
    })
    expect(world.account.payments()).toMatchObject([{ ...paid, isHeard: true }])
  })

  test('a payment of another amount than was ordered shows that amount', async () => {
    const world = await start(spoken)
    const { pay, state } = await open(world)
    pay(GOOD_CARD, 'another amount')
    expect(await state()).toMatchObject({ kind: 'succeeded', units: UNITS - 1_00n })
    expect(world.account.payments()).toMatchObject([{ paid: UNITS - 1_00n }])
  })

  test('a refused payment may succeed later', async () => {
    const world = await start(spoken)
    const { pay, state } = await open(world)
    expect(pay(REFUSED_CARD)).toBe('refused')
    world.account.succeedLate(world.account.payments()[0]!)
    expect(world.account.payments()).toMatchObject([{ status: 'succeeded', paid: UNITS, isLate: true }])
    expect(await state()).toMatchObject({ kind: 'succeeded', units: UNITS })
  })

  test('refunds of the program are counted separately from those of people at the acquirer', async () => {
    const world = await start(spoken)
    const { account, adapter } = world
    const { reference, pay, state } = await open(world)
    pay(GOOD_CARD)
    const isWhole = adapter.capabilities.refundsWholeOnly === true
    const paid = await state()
    const acquirerReference = 'acquirerReference' in paid ? paid.acquirerReference : undefined
    const units = isWhole ? UNITS : UNITS / 2n
    const order = { reference, acquirerReference, refundReference: randomUUID(), units, refundedUnits: 0n, ticker }
    expect(await adapter.refund!(order)).toMatchObject({ kind: 'succeeded', units })
    if (!isWhole) account.refundThere(account.payments()[0]!, 1_00n)
    const back = { refunded: units, refunds: 1, refundedThere: isWhole ? 0n : 1_00n }
    expect(account.payments()).toMatchObject([back])
  })

  test('all of a payment goes back', async () => {
    const world = await start(spoken)
    const { pay, state } = await open(world)
    pay(GOOD_CARD)
    world.account.reverse(world.account.payments()[0]!)
    expect(world.account.payments()).toMatchObject([{ status: 'reversed', paid: UNITS }])
    expect((await state()).kind).toBe('reversed')
  })
})
