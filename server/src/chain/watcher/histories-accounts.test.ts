/**
 * Random histories of a chain of accounts behind a node that lags, falls silent and loses answers. An auditor says at
 * the end, from the chain alone, the balance and the notifications that every merchant must have.
 */
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { follow } from '../../../../test/world/watcher.ts'
import { cases } from '../../../../test/setup/cases.ts'
import { ChainUnavailable } from '../../adapters/chains/port.ts'
import { createSimulatedChain, type SimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { believeInner, useDeposits, E18, type Owned } from '../../../../test/world/deposits.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { type Follower } from './index.ts'

const USDT = '0xusdt'
const FINAL_DEPTH = 6
const world = useDeposits()

const METHODS = ['head', 'finalized', 'blockAt', 'hashAt'] as const
const payment = fc.record({
  to: fc.option(fc.nat({ max: 1 })),
  token: fc.boolean(),
  inner: fc.boolean(),
  thousandths: fc.integer({ min: 0, max: 9_000 }),
})
const some = fc.nat({ max: 15 })
const deed = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      all: fc.array(payment, { minLength: 1, maxLength: 3 }),
      fails: fc.nat({ max: 5 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 5 }),
      lost: some,
      returned: some,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), method: fc.constantFrom(...METHODS) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lag' as const), blocks: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never

interface Walk extends SimulatedChain {
  owners: Owned[]
  follower: Follower
  begin(): Promise<Follower>
}

const start = async (): Promise<Walk> => {
  await world.reset()
  const simulated = createSimulatedChain({
    network: 'ETHEREUM',
    seed: 'walk',
    finalDepth: FINAL_DEPTH,
    tokens: [{ contract: USDT, decimals: 6 }],
  })
  simulated.chain.mine(FINAL_DEPTH)
  const owners = [await world.address('ETHEREUM'), await world.address('ETHEREUM')]
  const begin = () =>
    follow(world.runtime, simulated.adapter, [believeInner, world.deposits], { mostBlocks: 2, ringBlocks: 50 })
  return { ...simulated, owners, follower: await begin(), begin }
}

/** The watcher tries again after what a bad node makes of its questions, as its loop does. */
const patiently = async <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    if (!(error instanceof ChainUnavailable)) throw error
    return undefined
  })

const carryOut = async (walk: Walk, one: Deed): Promise<void> => {
  const { chain, faults, owners } = walk
  switch (one.do) {
    case 'pay': {
      const payments = one.all.map(({ to, token, inner, thousandths }) => ({
        to: to === null ? chain.newAddress() : owners[to]!.address,
        units: (BigInt(thousandths) * (token ? 10n ** 6n : E18)) / 1_000n,
        contract: token ? USDT : null,
        inner: inner && !token,
      }))
      chain.pay(payments, { fails: one.fails === 0 })
      return
    }
    case 'mine':
      return chain.mine(one.blocks)
    case 'reorganise': {
      const blocks = chain.blocks.slice(-one.depth)
      const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
      const picked = (bits: number) => hashes.filter((_, i) => (bits >> (i % 4)) & 1)
      const lost = picked(one.lost)
      const returned = picked(one.returned).filter((hash) => !lost.includes(hash))
      return chain.reorganise(one.depth, { lost, returned })
    }
    case 'look':
      await patiently(() => walk.follower.step())
      return
    case 'fail':
      return faults.failNext(one.method, 'before')
    case 'lag':
      faults.lag = one.blocks
      return
    case 'restart':
      walk.follower = (await patiently(walk.begin)) ?? walk.follower
  }
}

const rest = async (walk: Walk): Promise<void> => {
  walk.faults.lag = 0
  walk.chain.mine(FINAL_DEPTH + 1)
  walk.follower = (await patiently(walk.begin)) ?? (await walk.begin())
  // The sum of small deposits is credited with the next block.
  for (let block = 0; block < 3; block += 1) {
    for (let quiet = 0; quiet < 3;)
      quiet = (await patiently(() => walk.follower.step()))?.more === false ? quiet + 1 : 0
    walk.chain.mine(1)
  }
}

const percentOf = (amount: bigint): bigint => (amount + 99n) / 100n
const twoOf = (amount: bigint): bigint => (amount < 2n * E18 ? amount : 2n * E18)
/** `unit`: ledger units of one of the chain's. */
const ASSETS = [
  { ticker: 'ETH', contract: null, unit: 1n, min: E18 / 1_000n, feeOf: percentOf },
  { ticker: 'USDT', contract: USDT, unit: 10n ** 12n, min: E18, feeOf: twoOf },
]
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)

const audit = async ({ chain, owners }: Walk): Promise<void> => {
  const mined = chain.blocks.flatMap(({ transactions }) => transactions)
  for (const { merchantId, address } of owners) {
    for (const { ticker, contract, unit, min, feeOf } of ASSETS) {
      const to = mined.flatMap(({ transfers }) => transfers).filter((t) => t.to === address && t.contract === contract)
      const arrived = to.map(({ units }) => units * unit)
      const good = arrived.filter((amount) => amount >= min)
      // Small ones count together once they add up to the minimum.
      const { rows: together } = await sql<{
        units: bigint
      }>`select units from deposits where address = ${address} and asset = ${ticker} and index like 's:%' and state = 'credited'`.execute(
        world.db,
      )
      const counted = [...good, ...together.map(({ units }) => units)]
      expect(together.filter(({ units }) => units < min)).toEqual([])
      expect(await world.balance(merchantId, ticker)).toBe(sum(counted) - sum(counted.map(feeOf)))
      expect(await world.balance(merchantId, ticker, 'fees')).toBe(sum(counted.map(feeOf)))
      expect(await world.balance(merchantId, ticker, 'suspense')).toBe(sum(arrived) - sum(counted))
      expect(sum(arrived) - sum(counted)).toBeLessThan(min)
      expect(await world.balance(merchantId, ticker, 'custody:ETHEREUM')).toBe(-sum(arrived))
    }
  }
  const onChain = new Set(mined.filter(({ succeeded }) => succeeded).map(({ hash }) => hash))
  const notified = Map.groupBy(await world.notices(), ({ objectId }) => objectId)
  const { rows } = await sql<{ id: string; transaction: string; asset: string; units: bigint }>`
    select id, transaction, asset, units from deposits where index not like 's:%'`.execute(world.db)
  for (const { id, transaction, asset, units } of rows) {
    const { min } = ASSETS.find(({ ticker }) => ticker === asset)!
    const expected = !onChain.has(transaction) ? 'TRANSACTION_REPLACED' : units < min ? 'LESS_THEN_MIN_AMOUNT' : 'Done'
    const said = notified.get(id)!.map(({ status, body }) => body.failReason ?? status)
    expect(said).toEqual(['Pending', expected])
  }
  expect(await auditLedger(world.db)).toEqual([])
}

test('in any history of chain and node, balances are right to the unit and each status is notified once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40, size: 'max' }), async (deeds) => {
      const walk = await start()
      for (const each of deeds) await carryOut(walk, each)
      await rest(walk)
      await audit(walk)
    }),
    { endOnFailure: true, numRuns: cases(20) },
  )
})
