import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ForgedCallback, type AcquirerState, type CardTicker, type RawCallback } from '../port.ts'
import { finalCallback, isFinal, paid, payoutOrder, settled } from './orders.ts'
import { expectNothingSecret } from './secrecy.ts'
import type { WorldOf } from './world.ts'

export const describeCallbacks = (
  world: WorldOf,
  { payIn, payout }: { payIn: CardTicker; payout: CardTicker | undefined },
): void => {
  describe('callbacks', () => {
    const read = (callback: RawCallback) => world().acquirer.readCallback(callback)

    test('tells the reference and the state, and has an answer', async () => {
      const { reference, units } = await paid(world, payIn)
      const callback = read(await finalCallback(world(), reference))
      expect(callback).toMatchObject({ reference, state: { kind: 'succeeded', ticker: payIn, units } })
      expect(callback.ack.status).toBe(200)
      expectNothingSecret(world(), callback.state)
    })

    test('tells of a refused card', async () => {
      const { reference } = await paid(world, payIn, 'refused')
      expect(read(await finalCallback(world(), reference))).toMatchObject({ reference, state: { kind: 'refused' } })
    })

    if (payout)
      test('tells of a payout', async () => {
        const order = payoutOrder(world(), payout!)
        await world().acquirer.payOut(order)
        expect(read(await finalCallback(world(), order.reference))).toMatchObject({
          reference: order.reference,
          state: { kind: 'succeeded', units: order.units },
        })
      })

    test('says the same when it comes again, from the acquirer and here', async () => {
      await world().next({ duplicate: 2 })
      const { reference } = await paid(world, payIn)
      await finalCallback(world(), reference)
      await expect.poll(async () => (await finals(world, reference)).length).toBeGreaterThanOrEqual(3)
      const all = await finals(world, reference)
      const states = all.map((one) => read(one).state)
      for (const state of states) expect(state).toEqual(states[0])
      expect(read(all[0]!).state).toEqual(states[0])
    })

    test('in the wrong order each has its own state, and the acquirer knows the last one', async () => {
      await world().next({ reorder: true })
      const { reference } = await paid(world, payIn)
      const [first] = await world().callbacks(reference, 1)
      expect(isFinal(read(first!).state)).toBe(true)
      expect(await settled(() => world().acquirer.paymentState(reference))).toMatchObject({ kind: 'succeeded' })
    })

    test('that is lost is made good by asking', async () => {
      await world().next({ drop: true })
      const { reference } = await paid(world, payIn)
      expect(await settled(() => world().acquirer.paymentState(reference))).toMatchObject({ kind: 'succeeded' })
    })

    test('with a bad signature is forged', async () => {
      await world().next({ badSignature: true })
      const { reference } = await paid(world, payIn)
      const arrived = await world().callbacks(reference, 1)
      expect(() => read(arrived[0]!)).toThrow(ForgedCallback)
    })

    test('changed in any signed field, or signed by another key, is forged', async () => {
      const { reference } = await paid(world, payIn)
      const genuine = await finalCallback(world(), reference)
      const forged = world().forge(genuine)
      expect(forged.length).toBeGreaterThan(3)
      for (const { what, callback } of forged) expect(() => read(callback), what).toThrow(ForgedCallback)
      expect(read(genuine).reference).toBe(reference)
    })

    test('audit D-B9: without one of its fields it is no more than it says', async ({ skip }) => {
      const { without, acquirer } = world()
      if (without === undefined) return skip()
      const { reference, units } = await paid(world, payIn)
      const genuine = await finalCallback(world(), reference)
      for (const { field, callback } of without(genuine)) {
        const said = await Promise.resolve(callback)
          .then((one) => acquirer.readCallback(one))
          .catch((error: unknown) => error)
        if (said instanceof ForgedCallback) continue
        expect(said, field).toMatchObject({ reference })
        const { state } = said as { state: AcquirerState }
        if (state.kind === 'succeeded')
          expect({ units: state.units, ticker: state.ticker }, field).toEqual({ units, ticker: payIn })
        else expect(['waiting', 'unknown'], field).toContain(state.kind)
      }
    })

    if (payout)
      test('audit D-B9: that comes before the answer to its order is read as any other', async () => {
        await world().next({ answer: 'held' })
        const order = payoutOrder(world(), payout!)
        const answering = world()
          .acquirer.payOut(order)
          .catch((error: unknown) => error)
        expect(read(await finalCallback(world(), order.reference))).toMatchObject({
          reference: order.reference,
          state: { kind: 'succeeded', units: order.units },
        })
        expect(await answering).toMatchObject({ name: 'AcquirerUnreachable', sent: true })
      })

    test('of anything at all is forged, and costs nothing else', async () => {
      const { reference } = await paid(world, payIn)
      const genuine = await finalCallback(world(), reference)
      const forgery = (callback: RawCallback): void => {
        try {
          read(callback)
          expect.fail(`believed: ${callback.body.toString()}`)
        } catch (error) {
          expect(error).toBeInstanceOf(ForgedCallback)
          expectNothingSecret(world(), error)
        }
      }
      for (const body of ['', '{}', 'null', '[]', '"x"', '1', 'data=&signature=', '<response/>', '{"__proto__":{}}'])
        forgery({ ...genuine, body: Buffer.from(body) })
      const headers = { 'content-type': 'application/json' }
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) =>
          forgery({ headers, url: genuine.url, body: Buffer.from(bytes) }),
        ),
      )
      fc.assert(fc.property(fc.json(), (text) => forgery({ ...genuine, body: Buffer.from(text) })))
      const cut = fc.integer({ min: 0, max: genuine.body.length - 1 })
      fc.assert(fc.property(cut, (length) => forgery({ ...genuine, body: genuine.body.subarray(0, length) })))
    })
  })
}

const finals = async (world: WorldOf, reference: string): Promise<RawCallback[]> =>
  (await world().callbacks(reference, 1)).filter((one) => isFinal(world().acquirer.readCallback(one).state))
