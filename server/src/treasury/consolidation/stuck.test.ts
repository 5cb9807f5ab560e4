/** Which unconfirmed deposits the rescue looks at first. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChainTransaction } from '@bursar/chainkit'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createWorld, START, type World } from '../../pay-in/deposits/test-world.ts'
import { stuckDeposits } from './store.ts'

const database = useDatabase({ template: migrated })
let world: World
beforeAll(() => {
  world = createWorld(database.url)
  world.now = START
})
afterAll(() => world.close())

test('a stranger with many small outputs does not keep the transaction that brings most waiting', async () => {
  const { address } = await world.address('BITCOIN')
  const paying = (first: string, outputs: number, units: bigint): ChainTransaction => ({
    hash: first.repeat(64),
    keys: [`${first.repeat(64)}:0`],
    succeeded: true,
    fee: 100n,
    transfers: Array.from({ length: outputs }, (_, at) => ({
      index: `o:${at}`,
      contract: null,
      from: ['bc1qsender'],
      to: address,
      units,
    })),
  })
  await world.poolHas('BITCOIN', [paying('1', 20, 20_000n), paying('2', 20, 20_000n), paying('f', 1, 5_000_000n)])
  const later = new Date(START + 86_400_000)
  expect((await stuckDeposits(world.db, later, 10)).map(({ transaction }) => transaction[0]).join('')).toBe(
    'f111111111',
  )
  expect(await stuckDeposits(world.db, later, 500)).toHaveLength(41)
  expect(await stuckDeposits(world.db, new Date(START - 1), 500)).toEqual([])
})
