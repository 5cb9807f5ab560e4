/**
 * Random histories of a chain, its pool, its reorganisations and restarts of the watcher, seen by deposits. An auditor
 * that shares no code with them says at the end, from the chain alone, the balance and the notifications that every
 * merchant must have.
 */
import { randomUUID } from 'node:crypto'
import type { ChainTransaction } from '@bursar/chainkit'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { follow } from '../../../../test/world/watcher.ts'
import { cases } from '../../../../test/setup/cases.ts'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { useDeposits, pay, type Owned } from '../../../../test/world/deposits.ts'
import { applyAll, auditLedger } from '../../ledger/postings/index.ts'
import { rescan, type Follower } from './index.ts'
import { createTestChain, type TestChain } from './test-chain.ts'

const FINAL_DEPTH = 8
const world = useDeposits()

type Deed =
  | { do: 'send'; to: number; units: number }
  | { do: 'replace'; which: number; to: number | null; units: number }
  | { do: 'mine'; take: number }
  | { do: 'reorganise'; depth: number; longer: number; drop: number }
  | { do: 'look'; times: number }
  | { do: 'restart' }
  | { do: 'rescan' }
  | { do: 'withdraw'; who: number; part: number }

const units = fc.oneof(fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 150_000, max: 30_000_000 }))
const who = fc.nat({ max: 1 })
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('send' as const), to: who, units }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('replace' as const), which: fc.nat(), to: fc.option(who), units }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('mine' as const), take: fc.nat({ max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 7 }),
      longer: fc.nat({ max: 2 }),
      drop: fc.nat({ max: 3 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('look' as const), times: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rescan' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('withdraw' as const), who, part: fc.integer({ min: 1, max: 100 }) }),
  },
)

interface Walk {
  chain: TestChain
  owners: Owned[]
  follower: Follower
  withdrawn: Map<string, bigint>
  begin(): Promise<Follower>
}

const start = async (): Promise<Walk> => {
  await world.reset()
  const chain = createTestChain('BITCOIN', { finalDepth: FINAL_DEPTH, timeAt: () => world.now })
  for (let i = 0; i < FINAL_DEPTH; i += 1) chain.mine()
  const owners = [await world.address('BITCOIN'), await world.address('BITCOIN')]
  const begin = () => follow(world.runtime, chain, [world.deposits], { mostBlocks: 3, ringBlocks: 50 })
  return { chain, owners, follower: await begin(), withdrawn: new Map(), begin }
}

const withdraw = async ({ owners, withdrawn }: Walk, index: number, part: number): Promise<void> => {
  const { merchantId } = owners[index]!
  const amount = ((await world.balance(merchantId, 'BTC')) * BigInt(part)) / 100n
  if (amount === 0n) return
  await world.act(async (tx, { at, newId }) => {
    const id = newId()
    const entry = (kind: 'merchant' | 'custody:BITCOIN', posted: bigint) => ({
      account: { merchantId, asset: 'BTC', kind },
      posted,
      held: 0n,
    })
    const entries = [entry('merchant', -amount), entry('custody:BITCOIN', amount)]
    await applyAll(tx, [{ transfer: { id, merchantId, kind: 'post', cause: { kind: 'withdrawal', id }, entries, at } }])
    return { items: [], notices: [] }
  })
  withdrawn.set(merchantId, (withdrawn.get(merchantId) ?? 0n) + amount)
}

const carryOut = async (walk: Walk, deed: Deed): Promise<void> => {
  const { chain, owners } = walk
  const waiting = [...chain.pool.values()]
  switch (deed.do) {
    case 'send':
      return send(walk, deed.to, deed.units)
    case 'replace': {
      const victim = waiting[deed.which % Math.max(1, waiting.length)]
      const to = deed.to === null ? 'payer' : owners[deed.to]!.address
      if (victim) chain.send(pay(to, BigInt(deed.units), { hash: randomUUID(), keys: [victim.keys[0]!, randomUUID()] }))
      return
    }
    case 'mine':
      chain.mine(waiting.slice(0, deed.take))
      return
    case 'reorganise': {
      const lost = chain.blocks.slice(-deed.depth).flatMap(({ transactions }) => transactions)
      const remaining = lost.filter((_, i) => i % 4 >= deed.drop)
      const branch: ChainTransaction[][] = Array.from({ length: deed.depth + deed.longer }, () => [])
      remaining.forEach((transaction, i) => branch[(i * 3) % branch.length]!.push(transaction))
      return chain.reorganise(deed.depth, branch)
    }
    case 'look':
      for (let i = 0; i < deed.times; i += 1) await walk.follower.step()
      return
    case 'restart':
      walk.follower = await walk.begin()
      return
    case 'rescan': {
      const adapter = chain as unknown as ChainAdapter
      const deps = { runtime: world.runtime, network: 'BITCOIN', adapter, subscribers: [world.deposits] } as const
      // It goes as far as the watcher has read, on the branch the watcher stands on.
      await rescan(deps, 1, chain.blocks.length - 1).catch((error: unknown) => {
        if (!(error instanceof RangeError || error instanceof ChainUnavailable)) throw error
      })
      return
    }
    case 'withdraw':
      return withdraw(walk, deed.who, deed.part)
  }
}

/** Some transactions pay both merchants. */
const send = ({ chain, owners }: Walk, to: number, units: number): void => {
  const other = { index: 'o:1', contract: null, from: ['payer'], to: owners[1 - to]!.address, units: 20_000n }
  const also = units % 3 === 0 ? [other] : []
  chain.send(pay(owners[to]!.address, BigInt(units), { hash: randomUUID(), also }))
}

const rest = async (walk: Walk): Promise<void> => {
  for (let i = 0; i <= FINAL_DEPTH; i += 1) walk.chain.mine()
  for (;;) if (!(await walk.follower.step()).more) break
  // The sum of small deposits is credited with the next block.
  for (let i = 0; i < 2; i += 1) {
    walk.chain.mine()
    await walk.follower.step()
  }
}

const MIN = 10_000n
const feeOf = (amount: bigint): bigint => {
  const fee = 1_000n + (amount + 99n) / 100n
  return fee > amount ? amount : fee
}

/** Computes the required state from the chain alone. */
const audit = async ({ chain, owners, withdrawn }: Walk): Promise<void> => {
  const mined = chain.blocks.flatMap(({ transactions }) => transactions)
  const spent = new Map(mined.flatMap(({ hash, keys }) => keys.map((key): [string, string] => [key, hash])))
  for (const { merchantId, address } of owners) {
    const arrived = mined
      .flatMap(({ transfers }) => transfers)
      .filter(({ to }) => to === address)
      .map((t) => t.units)
    const good = arrived.filter((amount) => amount >= MIN)
    const sum = (amounts: bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)
    const out = withdrawn.get(merchantId) ?? 0n
    const balance = await world.balance(merchantId, 'BTC')
    const owed = -(await world.balance(merchantId, 'BTC', 'receivable'))
    // Small ones count together once they add up to the minimum.
    const { rows: together } = await sql<{
      units: bigint
    }>`select units from deposits where address = ${address} and index like 's:%' and state = 'credited'`.execute(
      world.db,
    )
    const sums = together.map((one) => one.units)
    expect(sums.filter((amount) => amount < MIN)).toEqual([])
    const counted = [...good, ...sums]
    expect(balance - owed).toBe(sum(counted) - sum(counted.map(feeOf)) - out)
    expect(balance === 0n || owed === 0n).toBe(true)
    expect(await world.balance(merchantId, 'BTC', 'fees')).toBe(sum(counted.map(feeOf)))
    expect(await world.balance(merchantId, 'BTC', 'suspense')).toBe(sum(arrived) - sum(counted))
    // A sum that has lost a part keeps its other parts until that part is mined again or has failed.
    const { rows: parts } = await sql<{ transaction: string; units: bigint }>`
      select p.transaction, p.units from deposits p join deposits d on d.merchant_id = p.merchant_id and d.id = p.summed_in
      where p.address = ${address} and d.state <> 'credited'`.execute(world.db)
    const onChain = new Set(mined.map(({ hash }) => hash))
    const [bound, lost] = [
      parts.filter((p) => onChain.has(p.transaction)),
      parts.filter((p) => !onChain.has(p.transaction)),
    ]
    expect(bound.length === 0 || lost.length > 0).toBe(true)
    expect(sum(arrived) - sum(counted) - sum(bound.map((p) => p.units))).toBeLessThan(MIN)
    expect(await world.balance(merchantId, 'BTC', 'custody:BITCOIN')).toBe(out - sum(arrived))
    const frozen = await sql`select from freezes
      where merchant_id = ${merchantId} and lifted_at is null`.execute(world.db)
    expect(frozen.rows.length > 0).toBe(owed > 0n)
  }
  await auditWire(mined, spent)
  expect(await auditLedger(world.db)).toEqual([])
}

const auditWire = async (mined: readonly ChainTransaction[], spent: ReadonlyMap<string, string>): Promise<void> => {
  const onChain = new Set(mined.map(({ hash }) => hash))
  const { rows } = await sql<{
    id: string
    transaction: string
    units: bigint
    keys: string[]
    state: string
    isSum: boolean
  }>`
    select id, transaction, units, keys, state, index like 's:%' as "isSum" from deposits`.execute(world.db)
  const notified = Map.groupBy(await world.notices(), ({ objectId }) => objectId)
  expect(new Set(notified.keys())).toEqual(new Set(rows.map(({ id }) => id)))
  for (const { id, transaction, units: amount, keys, state, isSum } of rows) {
    const notices = notified.get(id)!
    const statuses = notices.map(({ status }) => status).join()
    const reason = notices.at(-1)!.body.failReason
    if (isSum)
      expect(statuses).toMatch(
        state === 'credited' ? /^Pending,Done$/ : state === 'failed' ? /^Pending(,Done)?,Failed$/ : /^Pending(,Done)?$/,
      )
    else if (onChain.has(transaction) && amount >= MIN) expect(statuses).toBe('Pending,Done')
    else if (onChain.has(transaction)) expect([statuses, reason]).toEqual(['Pending,Failed', 'LESS_THEN_MIN_AMOUNT'])
    else if (keys.some((key) => spent.has(key))) {
      expect(statuses).toMatch(/^Pending(,Done)?,Failed$/)
      // One below the minimum may have been notified so before it was replaced: that stays the reason.
      expect(['TRANSACTION_REPLACED', ...(amount < MIN ? ['LESS_THEN_MIN_AMOUNT'] : [])]).toContain(reason)
    } else expect(statuses).toMatch(amount < MIN ? /^Pending(,Failed)?$/ : /^Pending(,Done)?$/)
  }
}

test('in any history of the chain, balances are right to the unit and each status is notified once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40, size: 'max' }), async (deeds) => {
      const walk = await start()
      for (const each of deeds) await carryOut(walk, each)
      await rest(walk)
      await audit(walk)
    }),
    // Shrinking exceeds the time limit, which would hide the counterexample.
    { numRuns: cases(25), endOnFailure: true },
  )
})
