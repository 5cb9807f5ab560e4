/** Callbacks of LiqPay, WayForPay and Freedom Pay as their emulators send them, over the api's own HTTP server. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Emulator } from '../../../../sandbox/acquirers/emulator/start.ts'
import { placeOrder, payByCard } from '../../../../sandbox/acquirers/emulator/payments.ts'
import { startFreedomPay } from '../../../../sandbox/acquirers/freedompay/index.ts'
import { startLiqPay } from '../../../../sandbox/acquirers/liqpay/index.ts'
import { startWayForPay } from '../../../../sandbox/acquirers/wayforpay/index.ts'
import { createFreedomPay } from '../../adapters/acquirers/freedompay/index.ts'
import { createAcquirerHttp } from '../../adapters/acquirers/http.ts'
import { createLiqPay } from '../../adapters/acquirers/liqpay/index.ts'
import type { Acquirer } from '../../adapters/acquirers/port.ts'
import { createWayForPay } from '../../adapters/acquirers/wayforpay/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { useEdge } from '../../../../test/world/edge.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { callbackPath, callbackRoutes } from './routes.ts'
import type { ReadCallback } from './callback.ts'

const liqpay = { publicKey: 'i1', privateKey: 'priv', version: 3 } as const
const wayforpay = { merchantAccount: 'shop', secretKey: 'key', domain: 'shop.example' }
const freedompay = { merchantId: '1', secretKey: 'in', payoutSecretKey: 'out' }
const url = 'https://unused.example'
const common = { url, capabilities: { payIn: {}, payout: {} }, http: createAcquirerHttp({ account: 'test' }) }
const acquirers: Acquirer[] = [
  createLiqPay({ ...common, ...liqpay, name: 'liq', ip: '' }),
  createWayForPay({ ...common, ...wayforpay, name: 'w4p', apiUrl: url, payUrl: url, page: 'form' }),
  createFreedomPay({ ...common, ...freedompay, name: 'freedom-kz', testing: true, spacingMs: 0 }),
]

const heard: ReadCallback[] = []
const runtime = {
  get db() {
    return edge.db
  },
  clock: { now: () => Date.now(), business: () => Date.now() },
  newId: randomUUID,
  log: pino({ level: 'silent' }),
} as unknown as Runtime
const edge = useEdge({
  pages: {
    routes: callbackRoutes({
      runtime,
      acquirers: new Map(acquirers.map((one) => [one.name, one])),
      subscribers: [
        async (_tx, one) => {
          heard.push(one)
          return noEffects
        },
      ],
    }),
    problem: () => ({ status: 400, headers: {}, body: '' }),
    postsPerMinute: 10_000,
    getsPerMinute: 10_000,
  },
})

const emulators: Record<string, Emulator> = {}
beforeAll(async () => {
  emulators['liq'] = await startLiqPay(liqpay, { port: 0, clockRate: 60_000 })
  emulators['w4p'] = await startWayForPay(wayforpay, { port: 0, clockRate: 60_000 })
  emulators['freedom-kz'] = await startFreedomPay(freedompay, { port: 0, clockRate: 600_000 })
})
afterAll(async () => {
  await Promise.all(Object.values(emulators).map((one) => one.stop()))
})

describe.each(['liq', 'w4p', 'freedom-kz'])('%s', (name) => {
  const pay = (reference: string, more: object = {}) => {
    const { context } = emulators[name]!
    if (Object.keys(more).length > 0) context.faults.next(more)
    const placed = placeOrder(context, {
      kind: 'payment',
      reference,
      currency: context.dialect.currency,
      units: 1_234_56n,
      description: 'ї &',
      callbackUrl: `http://127.0.0.1:${edge.port}${callbackPath(name)}`,
      returnUrl: 'https://shop.example/',
    })
    if ('refusal' in placed) throw new Error(placed.refusal)
    payByCard(context, placed.order, context.dialect.cards[0]!.number)
    return () =>
      context.deliveries.list(placed.order.id).map(({ answers, dueAt }) => ({ answers, ended: dueAt === undefined }))
  }

  test('is believed, stored, and acknowledged so that it is not repeated', async () => {
    const reference = randomUUID()
    const deliveries = pay(reference, { duplicate: 1 })
    await expect.poll(deliveries).toEqual([
      { answers: [200], ended: true },
      { answers: [200], ended: true },
    ])
    expect(heard.filter((one) => one.reference === reference)).toMatchObject([
      { acquirer: name, state: { kind: 'succeeded', units: 1_234_56n } },
    ])
    const { rows } = await sql<{
      acquirer: string
    }>`select acquirer from acquirer_callbacks where reference = ${reference}`.execute(edge.db)
    expect(rows).toEqual([{ acquirer: name }])
  })

  test('is refused with 400 when its signature is wrong, and heard when it comes again right', async () => {
    const reference = randomUUID()
    const deliveries = pay(reference, { badSignature: true })
    await expect.poll(deliveries).toEqual([{ answers: [400, 200], ended: true }])
    expect(heard.filter((one) => one.reference === reference)).toHaveLength(1)
  })
})
