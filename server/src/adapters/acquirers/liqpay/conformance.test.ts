import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { startLiqPay } from '../../../../../sandbox/acquirers/liqpay/index.ts'
import { sign } from '../../../../../sandbox/acquirers/liqpay/signature.ts'
import { finalCallback, paid } from '../conformance/orders.ts'
import { describeAcquirer, type AcquirerWorld } from '../conformance.ts'
import type { RawCallback } from '../port.ts'
import { worldOf } from '../../../../../test/world/emulated-acquirer.ts'
import { createLiqPay } from './index.ts'
import { LIQPAY_LIMITS } from './settings.ts'
import type { LiqPayVersion } from './signature.ts'

const publicKey = 'i00000000042'
const privateKey = 'a4825234f4bae72a0be04eafe9e8e2bada209255'
const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

/** Every field of the data changed, each once, and the data signed with another party's key. */
const forge = (callback: RawCallback): { what: string; callback: RawCallback }[] => {
  const form = new URLSearchParams(callback.body.toString())
  const fields = JSON.parse(Buffer.from(form.get('data')!, 'base64').toString()) as Record<string, unknown>
  const made = (what: string, data: string, signature: string) => ({
    what,
    callback: { ...callback, body: Buffer.from(new URLSearchParams({ data, signature }).toString()) },
  })
  const changed = Object.keys(fields).map((name) =>
    made(
      name,
      Buffer.from(JSON.stringify({ ...fields, [name]: 'changed' })).toString('base64'),
      form.get('signature')!,
    ),
  )
  const foreign = createHash('sha1')
    .update(`other${form.get('data')!}other`)
    .digest('base64')
  return [
    ...changed,
    made('another key', form.get('data')!, foreign),
    made('no signature', form.get('data')!, ''),
    made('no data', '', form.get('signature')!),
  ]
}

const without =
  (version: LiqPayVersion) =>
  (callback: RawCallback): { field: string; callback: RawCallback }[] => {
    const fields = JSON.parse(
      Buffer.from(new URLSearchParams(callback.body.toString()).get('data')!, 'base64').toString(),
    ) as Record<string, unknown>
    return Object.keys(fields).map((field) => {
      const { [field]: _, ...rest } = fields
      const data = Buffer.from(JSON.stringify(rest)).toString('base64')
      return {
        field,
        callback: {
          ...callback,
          body: Buffer.from(new URLSearchParams({ data, signature: sign(version, privateKey, data) }).toString()),
        },
      }
    })
  }

const traits = {
  payIn: ['UAH'],
  payout: ['UAH'],
  refund: true,
  statement: false,
  paymentIsOrdered: false,
  refundFaults: ['late', 'failed'],
  refundRefusals: ['payment_err_status', 'payment_not_found', 'err_access'],
  ambiguousCodes: ['order_id_duplicate', 'payment_processing', 'err_cache', 'wait_info'],
} as const

const makeWorld = async (version: LiqPayVersion): Promise<AcquirerWorld> => {
  const emulator = await startLiqPay({ publicKey, privateKey, version }, { port: 0 })
  const { world, stop } = await worldOf({
    emulator,
    secrets: [privateKey],
    forge,
    without: without(version),
    cards: {
      good: '4242424242424242',
      secure: '4000000000003063',
      refused: '4000000000009995',
      payout: '4111111111111111',
      payoutRefused: '4000000000000002',
    },
    makeAcquirer: (url, http) =>
      createLiqPay({
        name: 'liq',
        publicKey,
        privateKey,
        url,
        version,
        ip: '203.0.113.7',
        capabilities: LIQPAY_LIMITS,
        http,
      }),
  })
  stops.push(stop)
  return world
}

/** In this suite the emulator behaves as in rows of docs/dialects.md. */
describeAcquirer('LiqPay', traits, () => makeWorld(3))

test('version 7 of the protocol, SHA3-256 all the way', async () => {
  const world = await makeWorld(7)
  const order = await paid(() => world, 'UAH')
  expect(world.acquirer.readCallback(await finalCallback(world, order.reference))).toMatchObject({
    reference: order.reference,
    state: { kind: 'succeeded', units: order.units },
  })
  expect(await world.acquirer.paymentState(order.reference)).toMatchObject({ kind: 'succeeded' })
})
