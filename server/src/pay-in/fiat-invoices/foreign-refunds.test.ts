/** Refunds that a person makes in the acquirer's console, of credited money and of money in suspense. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../../treasury/invariants/index.ts'
import { useFiatInvoices } from '../../../../test/world/fiat-invoices.ts'

const world = useFiatInvoices()

/** A payment that succeeds after its invoice has failed: its 100.00 are in suspense. */
const suspended = async (): Promise<string> => {
  const { reference } = await world.atTheBank()
  world.first.refuses(reference)
  await world.hear(reference)
  await world.work()
  await world.later(15 * 60_000)
  world.first.pays(reference)
  await world.hear(reference)
  await world.work()
  expect(await world.balance('suspense')).toBe(100_00n)
  return reference
}

/** The acquirer reports that so much went back in all, minor units. */
const wentBack = async (reference: string, units: bigint | 'all'): Promise<void> => {
  world.first.reverses(reference, units)
  await world.hear(reference, undefined, { salt: String(units) })
  await world.work()
}

const alertText = async (): Promise<string> => {
  const { rows } = await sql<{ text: string }>`select text from alerts where kind = 'refund-foreign'`.execute(world.db)
  return rows[0]!.text
}

describe('keep every invariant of the books', () => {
  test('nearly all of a credited payment', async () => {
    const reference = await world.paid()
    await wentBack(reference, 40_00n)
    await wentBack(reference, 99_00n)
    expect(await checkInvariants(world.db)).toEqual([])
    expect(await alertText()).toContain('taken from the balance of merchant')
  })

  test('a part of a payment in suspense, and later all of it', async () => {
    const reference = await suspended()
    await wentBack(reference, 40_00n)
    expect([await world.balance('suspense'), await world.balance('merchant')]).toEqual([60_00n, 0n])
    expect(await checkInvariants(world.db)).toEqual([])
    expect(await alertText()).toContain('taken from the money in suspense of merchant')
    await wentBack(reference, 'all')
    expect(await world.balance('suspense')).toBe(0n)
    expect(await checkInvariants(world.db)).toEqual([])
  })

  test('the rest of a payment in suspense of which we have given back a part', async () => {
    const reference = await suspended()
    await world.refund(reference, 30_00n)
    await world.work()
    await wentBack(reference, 'all')
    expect(await world.balance('suspense')).toBe(0n)
    expect(await checkInvariants(world.db)).toEqual([])
  })
})
