/** Refunds that ended as not made, and of which money shows later all the same. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { reconcileAcquirer, requireNotShown, resolveRefund } from '../../cards/acquiring/index.ts'
import { AcquirerUnreachable, type AcquirerState } from '../../adapters/acquirers/port.ts'
import { payoutBooks } from '../../cards/card-payouts/stated.ts'
import { HOUR_MS, MINUTE_MS, START, useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

const resolve = (id: string, how: 'done' | 'refused') =>
  world.act((tx, at) => resolveRefund(tx, { id, how, by: 'cli:ann: seen in the console' }, world.subscriber, at))
const reconcile = () =>
  reconcileAcquirer({ runtime: world.runtime, payouts: payoutBooks, pause: async () => {} }, world.first)
const alertText = async (kind: string): Promise<string | undefined> =>
  (await sql<{ text: string }>`select text from alerts where kind = ${kind}`.execute(world.db)).rows[0]?.text
const stateRefund = (reference: string, units: bigint): void => {
  world.first.lines.push({
    kind: 'refund',
    reference,
    acquirerReference: 'line-1',
    ticker: 'UAH',
    units: -units,
    feeUnits: 0n,
    at: START - 1,
  })
}
/** A refund that was sent, and whose answer was lost. */
const sentRefund = async (reference: string, units: bigint) => {
  world.first.troubles.push({ at: 'refund', error: 'sent' })
  const made = await world.refund(reference, units)
  await world.work()
  return made
}

describe('money of a refund that ended as not made', () => {
  test('is taken from the merchant when it shows within two weeks, even without a callback', async () => {
    const reference = await world.paid()
    world.first.refundAnswer = 'refused'
    await world.refund(reference, 50_00n)
    await world.work()
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([98_00n, ['refund-refused']])
    await world.later(HOUR_MS)
    world.first.reverses(reference, 50_00n)
    await world.later(24 * HOUR_MS)
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([
      48_00n,
      ['refund-foreign', 'refund-refused'],
    ])
  })

  test('is seen beside the refund that was sent in its place, after a person had called it not made', async () => {
    const reference = await world.paid()
    const first = await sentRefund(reference, 40_00n)
    await world.later(20 * MINUTE_MS)
    await resolve(first.id, 'refused')
    await world.refund(reference, 40_00n)
    await world.work()
    expect([await world.balance('merchant'), world.first.refundsSent]).toEqual([58_00n, 1])
    world.first.reverses(reference, 80_00n)
    await world.later(24 * HOUR_MS)
    expect(await world.balance('merchant')).toBe(18_00n)
    expect(await world.alerts()).toEqual(['refund-foreign', 'refund-refused'])
  })

  test('is looked for too when another sum stood in the way of sending it, and no more went back', async () => {
    const reference = await world.paid()
    world.first.reverses(reference, 20_00n)
    // As the adapters answer that send nothing while another amount went back than is known of
    // (adapters/acquirers/refunds.ts).
    world.first.refund = async () => ({ kind: 'unknown', reason: 'another amount went back than is known of' })
    const made = await world.refund(reference, 30_00n)
    await world.work()
    await world.later(HOUR_MS)
    expect([await world.alerts(), await world.balance('merchant')]).toEqual([['refund-stuck'], 98_00n])
    await resolve(made.id, 'refused')
    await world.work()
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([
      78_00n,
      ['refund-foreign', 'refund-refused'],
    ])
  })

  test('is looked for no longer than two weeks', async () => {
    const reference = await world.paid()
    const made = await sentRefund(reference, 40_00n)
    await world.later(20 * MINUTE_MS)
    await resolve(made.id, 'refused')
    for (let day = 0; day < 16; day += 1) await world.later(24 * HOUR_MS)
    const { asked } = world.first
    for (let day = 0; day < 3; day += 1) await world.later(24 * HOUR_MS)
    expect(world.first.asked).toBe(asked)
  })

  test('is not called not made while a statement shows it', async () => {
    const reference = await world.paid()
    const made = await sentRefund(reference, 50_00n)
    stateRefund(reference, 50_00n)
    await reconcile()
    await world.later(20 * MINUTE_MS)
    await expect(resolve(made.id, 'refused')).rejects.toThrow('a statement of first shows refund')
    await resolve(made.id, 'done')
    expect([await world.balance('merchant'), await reconcile()]).toEqual([48_00n, []])
  })

  test('is posted from the statement whose line was taken for it before the acquirer refused it', async () => {
    const reference = await world.paid()
    const answer = Promise.withResolvers<AcquirerState>()
    const asking = Promise.withResolvers<void>()
    world.first.refund = async (_order, sending) => {
      await sending?.()
      asking.resolve()
      return answer.promise
    }
    await world.refund(reference, 50_00n)
    const working = world.work()
    await asking.promise
    stateRefund(reference, 50_00n)
    await reconcile()
    answer.resolve({
      kind: 'refused',
      acquirerReference: undefined,
      code: '9996',
      message: 'no contract',
      maskedCard: undefined,
    })
    await working
    expect(await world.balance('merchant')).toBe(98_00n)
    expect(await alertText('refund-refused')).toContain('a statement shows the refund as made')
    await reconcile()
    await reconcile()
    expect([await world.balance('merchant'), await world.alerts()]).toEqual([
      48_00n,
      expect.arrayContaining(['refund-foreign', 'refund-refused']),
    ])
  })
})

describe('before a person calls a refund not made, its acquirer is asked once more', () => {
  const ask = (id: string) =>
    requireNotShown({ runtime: world.runtime, acquirers: new Map([['first', world.first]]) }, id)
  const says = (state: AcquirerState | Error) => {
    world.first.refundState = async () => {
      if (state instanceof Error) throw state
      return state
    }
  }
  const shown: AcquirerState = {
    kind: 'succeeded',
    acquirerReference: 'r',
    ticker: 'UAH',
    units: 50_00n,
    feeUnits: undefined,
    maskedCard: undefined,
  }
  test.each<[string, AcquirerState | Error, string | undefined]>([
    ['shows it', shown, 'shows refund'],
    ['has it in its queue', { kind: 'waiting', reason: 'the acquirer has the refund' }, 'in its queue'],
    ['does not answer', new AcquirerUnreachable('no answer', { sent: true }), "can't be queried"],
    ['shows nothing of it', { kind: 'unknown' }, undefined],
  ])('one that %s', async (_what, state, refusal) => {
    const made = await sentRefund(await world.paid(), 50_00n)
    says(state)
    if (refusal === undefined) await ask(made.id)
    else await expect(ask(made.id)).rejects.toThrow(refusal)
  })
})
