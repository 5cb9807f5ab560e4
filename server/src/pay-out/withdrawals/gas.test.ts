import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import type { AccountChainAdapter } from '../../adapters/chains/port.ts'
import { createFeeRateJob, createGasReader } from './index.ts'
import { readTerms } from './terms.ts'
import { catalogue, createPayoutWorld, HOT, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
const { signal } = new AbortController()
beforeEach(async () => {
  world = await createPayoutWorld(database.url)
})
afterEach(async () => {
  await sql`delete from network_fees`.execute(world.db)
  await emptyTables(world.db)
  await world.close()
})

/** Every payment of the double is to an account that it does not know, as with EIP-8037. */
test('audit D-E14: row Fees, the gas of payments to new accounts is estimated every five minutes, stored, and charged', async () => {
  const receivers = new Set<string>()
  world.node.estimate = ({ from, to, data }) => {
    expect(from).toBe(HOT)
    if (data === '0x') receivers.add(to)
    return data === '0x'
      ? { ok: true, gas: 204_600n }
      : { ok: false, reason: 'reverted', message: 'the hot wallet has none' }
  }
  const read = createGasReader({ runtime: world.runtime, catalogue, hotAddress: HOT })
  const job = createFeeRateJob(world.runtime, [world.adapter], 1, (adapter) =>
    read(adapter as AccountChainAdapter, 'ETHEREUM'),
  )
  const gasNow = async () =>
    Object.fromEntries((await readTerms(world.db, catalogue, world.runtime.clock.now())).paymentGas.get('ETHEREUM')!)
  await job.run(signal)
  await job.run(signal)
  expect(await gasNow()).toEqual({ ETH: 204_600n })
  expect(receivers.size).toBe(1)

  world.later(5 * 60_000)
  world.node.estimate = ({ data }) =>
    data === '0x' ? { ok: false, reason: 'insufficient-funds', message: 'no coin' } : { ok: true, gas: 163_000n }
  await job.run(signal)
  expect(await gasNow()).toEqual({ ETH: 204_600n, USDT: 163_000n })
})

test('audit D-E14: a node that gives no estimate still gives prices', async () => {
  world.node.estimate = () => {
    throw new Error('no')
  }
  const read = createGasReader({ runtime: world.runtime, catalogue, hotAddress: HOT })
  await createFeeRateJob(world.runtime, [world.adapter], 1, (adapter) =>
    read(adapter as AccountChainAdapter, 'ETHEREUM'),
  ).run(signal)
  const terms = await readTerms(world.db, catalogue, world.runtime.clock.now())
  expect(terms.feeRates.get('ETHEREUM')).toMatchObject({ kind: 'gas' })
  expect(terms.paymentGas.get('ETHEREUM')).toEqual(new Map())
})
