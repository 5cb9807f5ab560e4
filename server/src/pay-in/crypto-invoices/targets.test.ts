import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { HOUR, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'

const world = useCryptoInvoices()
const create = () =>
  world.create({
    amount: { value: '100', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN' },
    target: { ticker: 'BTC' },
    toPendingImmediate: true,
  })
/** Of each conversion the whole units, and whether it waits for its invoice. */
const conversions = async () => {
  const { rows } = await sql<{
    units: number
    held: boolean
  }>`select (units / 1000000000000000000)::float8 as units, next_at = 'infinity' as held from conversions order by units`.execute(
    world.db,
  )
  return rows.map(({ units, held }) => [units, held])
}

describe('audit F-9.7: a payment of an invoice with a target is converted once the invoice is paid', () => {
  test('audit F-9.7: a part waits, and goes with the payment that makes it whole', async () => {
    const id = await create()
    await world.confirm(await world.payment(id, '40'))
    expect(await conversions()).toEqual([[40, true]])
    await world.confirm(await world.payment(id, '60'))
    expect([(await world.lookup(id)).status, await conversions()]).toEqual([
      'PAID',
      [
        [40, false],
        [60, false],
      ],
    ])
    await world.confirm(await world.payment(id, '5'))
    expect(await conversions()).toEqual([
      [5, false],
      [40, false],
      [60, false],
    ])
  })

  test('audit F-9.7: of an invoice that expires underpaid it stays, so that it can go back; closing converts it', async () => {
    const id = await create()
    await world.confirm(await world.payment(id, '40'))
    world.now += 73 * HOUR
    await world.tick()
    expect([(await world.lookup(id)).status, await conversions()]).toEqual(['EXPIRED', [[40, true]]])
    await world.close(id)
    expect(await conversions()).toEqual([[40, false]])
  })

  test('money that the invoice does not ask for is converted at once', async () => {
    const id = await create()
    await world.confirm(await world.payment(id, '40', { ticker: 'USDT', network: 'ETHEREUM' }))
    expect(await conversions()).toEqual([[39.6, false]])
  })
})
