/**
 * Random histories of a chain, read and read again through nodes that number, split and merge what contracts send each
 * in its own way, or do not show it. geth, Erigon and others do (Erigon lists frames of precompiled contracts,
 * java-tron with `vm.saveFeaturedInternalTx` lists more entries). At the end, what is posted is what moved on the
 * chain.
 */
import type { Block, ChainTransaction, Transfer } from '@bursar/chainkit'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { follow, readAll } from '../../../../test/world/watcher.ts'
import { cases } from '../../../../test/setup/cases.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { believeInner, catalogue, useDeposits, E18, pay, type Owned } from '../../../../test/world/deposits.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { createSweepSubscriber } from '../../treasury/sweeps/index.ts'
import { createFunding } from '../../treasury/reconciliation/index.ts'
import { createUntracedAlarm, createUntracedJob, rescan, rewind } from './index.ts'
import { knowHotAddresses } from '../addresses/index.ts'
import { createTestChain, type TestChain } from './test-chain.ts'

const FINAL_DEPTH = 4
const HOT = 'hot'
const world = useDeposits()

const empty = async (): Promise<void> => {
  await world.reset()
  await knowHotAddresses(world.db, 0, [{ family: 'EVM', address: HOT, index: 0 }], new Date(world.now))
}
beforeEach(empty)

/** How a node shows inner transfers. */
interface View {
  shape: 'separate' | 'merged' | 'split' | 'blind' | 'untraced'
  /** the first number and the step to the next */
  from: number
  step: number
  reversed: boolean
}

const isInner = ({ index }: Transfer): boolean => index.startsWith('t:')

const shaped = (inner: readonly Transfer[], { shape }: View): Transfer[] => {
  // The contract that sweeps logs what leaves an address, which every node shows.
  if (shape === 'blind' || shape === 'untraced') return inner.filter(({ from }) => !from[0]!.endsWith('contract'))
  if (shape === 'separate') return [...inner]
  if (shape === 'split')
    return inner.flatMap((one) =>
      one.units < 2n
        ? [one]
        : [
            { ...one, units: one.units / 2n },
            { ...one, units: one.units - one.units / 2n },
          ],
    )
  const ways = Map.groupBy(inner, ({ from, to }) => `${from}/${to}`)
  return [...ways.values()].map((all) => ({ ...all[0]!, units: all.reduce((sum, { units }) => sum + units, 0n) }))
}

const shownBy =
  (view: View) =>
  (transaction: ChainTransaction): ChainTransaction => {
    const found = shaped(transaction.transfers.filter(isInner), view)
    const inner = (view.reversed ? found.toReversed() : found).map((one, n) => ({
      ...one,
      index: `t:${view.from + n * view.step}`,
    }))
    return { ...transaction, transfers: [...transaction.transfers.filter((one) => !isInner(one)), ...inner] }
  }

const nodeOf = (chain: TestChain, view: View): ChainAdapter => {
  const show = (block: Block | null): Block | null =>
    block && {
      ...block,
      ...(view.shape === 'untraced' && { untraced: true }),
      transactions: block.transactions.map(shownBy(view)),
    }
  return { ...chain, blockAt: async (height: number) => show(await chain.blockAt(height)) } as unknown as ChainAdapter
}

const subscribers = () => [
  createSweepSubscriber(catalogue),
  createFunding(catalogue),
  believeInner,
  world.deposits,
  createUntracedAlarm(),
]

interface Walk {
  chain: TestChain
  owners: Owned[]
  read(view: View): Promise<void>
  readAgain(view: View): Promise<void>
  /** Compares balances for the sake of untraced blocks that are final. */
  compare(): Promise<void>
  /** Goes back to a final block, so many below the newest one, or to the first: what was final comes again. */
  goBack(depth: number): Promise<void>
}

const start = async (): Promise<Walk> => {
  await empty()
  const chain = createTestChain('ETHEREUM', { finalDepth: FINAL_DEPTH, timeAt: () => world.now })
  for (let i = 0; i < FINAL_DEPTH; i += 1) chain.mine()
  const owners = [await world.address('ETHEREUM'), await world.address('ETHEREUM')]
  const deps = { runtime: world.runtime, network: 'ETHEREUM', subscribers: subscribers() } as const
  const first = chain.blocks.length - FINAL_DEPTH
  const settings = { mostBlocks: 3, ringBlocks: 50 }
  const read = async (view: View): Promise<void> =>
    readAll(await follow(world.runtime, nodeOf(chain, view), subscribers(), settings))
  await read(EXACT)
  return {
    chain,
    owners,
    read,
    compare: async () => {
      const balanceAt = (address: string, height: number): bigint =>
        chain.blocks
          .slice(0, height + 1)
          .flatMap(({ transactions }) => transactions.flatMap(({ transfers }) => transfers))
          .reduce(
            (sum, { from, to, units }) => sum + (to === address ? units : 0n) - (from[0] === address ? units : 0n),
            0n,
          )
      const adapter = {
        capabilities: async () => ({ mempool: false, traces: true }),
        balancesAt: async (height: number, wanted: readonly { address: string }[]) =>
          wanted.map(({ address }) => balanceAt(address, height)),
      }
      await createUntracedJob({
        runtime: world.runtime,
        network: 'ETHEREUM',
        adapter,
        deposits: world.deposits,
        everyMs: 1,
      }).run(new AbortController().signal)
    },
    goBack: async (depth) => {
      // Its cursor may stand on blocks that are lost: it goes to the best chain first.
      await read(EXACT)
      const height = Math.max(first - 1, chain.blocks.length - 1 - depth)
      if (height < chain.blocks.length - 1)
        await rewind({ ...deps, adapter: nodeOf(chain, EXACT) }, { height, hash: chain.blocks[height]!.hash })
    },
    readAgain: async (view) => {
      await read(view)
      await rescan({ ...deps, adapter: nodeOf(chain, view) }, first, chain.blocks.length - 1)
    },
  }
}

const EXACT: View = { shape: 'separate', from: 0, step: 1, reversed: false }
const view = fc.record({
  shape: fc.constantFrom(
    'separate' as const,
    'merged' as const,
    'split' as const,
    'blind' as const,
    'untraced' as const,
  ),
  from: fc.nat({ max: 3 }),
  step: fc.integer({ min: 1, max: 3 }),
  reversed: fc.boolean(),
})
/** Few amounts and addresses, so that they repeat: 0 and 1 are deposit addresses, 2 is the hot wallet. */
const move = fc.record({
  to: fc.nat({ max: 2 }),
  from: fc.constantFrom('contract', 'other contract', 'address'),
  thousandths: fc.integer({ min: 1, max: 4 }),
})
const moves = fc.array(move, { maxLength: 4 })
const deed = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('mine' as const),
      all: fc.array(moves, { minLength: 1, maxLength: 3 }),
      plain: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: FINAL_DEPTH - 1 }),
      other: fc.array(moves, { maxLength: 2 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('read' as const), view }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('read again' as const), view }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('compare' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('go back' as const), depth: fc.integer({ min: FINAL_DEPTH, max: 12 }) }),
  },
)
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never

let counter = 0
/** Amounts that contracts send in one transaction. A deposit address pays only to the hot wallet: that is its sweep. */
const transactionOf = (
  { owners }: Walk,
  inner: readonly (typeof move extends fc.Arbitrary<infer T> ? T : never)[],
  plain: boolean,
  hash = `inner${(counter += 1)}`,
): ChainTransaction => ({
  hash,
  keys: [`${hash}:in`],
  succeeded: true,
  fee: 0n,
  transfers: [
    ...(plain ? [{ index: 'n', contract: null, from: ['payer'], to: owners[0]!.address, units: E18 }] : []),
    ...inner.map(({ to, from, thousandths }, n): Transfer => ({
      index: `t:${n}`,
      contract: null,
      from: [to === 2 && from === 'address' ? owners[0]!.address : from],
      to: to === 2 ? HOT : owners[to]!.address,
      units: (BigInt(thousandths) * E18) / 1_000n,
    })),
  ],
})

const carryOut = async (walk: Walk, one: Deed): Promise<void> => {
  const { chain } = walk
  switch (one.do) {
    case 'mine':
      chain.mine(one.all.map((inner) => transactionOf(walk, inner, one.plain)))
      return
    case 'reorganise': {
      const lost = chain.blocks.slice(-one.depth).map(({ transactions }) => transactions)
      // On the other branch the first transactions do something else.
      const again = lost.map((transactions) =>
        transactions.map((was, n) =>
          one.other[n] === undefined ? was : transactionOf(walk, one.other[n], false, was.hash),
        ),
      )
      return chain.reorganise(one.depth, [...again, []])
    }
    case 'read':
      return walk.read(one.view)
    case 'read again':
      return walk.readAgain(one.view)
    case 'compare':
      return walk.compare()
    case 'go back':
      return walk.goBack(one.depth)
  }
}

const bookedOf = async (address: string): Promise<bigint> => {
  const { rows } = await sql<{
    booked: bigint
  }>`select booked from custody_addresses where network = 'ETHEREUM' and address = ${address}`.execute(world.db)
  return rows[0]?.booked ?? 0n
}

const audit = async ({ chain, owners }: Walk): Promise<void> => {
  const shown = chain.blocks.flatMap(({ transactions }) =>
    transactions.flatMap(({ hash, transfers }) => transfers.map((one) => ({ ...one, hash }))),
  )
  const sum = (of: (one: (typeof shown)[number]) => boolean): bigint =>
    shown.filter(of).reduce((total, { units }) => total + units, 0n)
  for (const { merchantId, address } of owners) {
    const arrived = sum(({ to }) => to === address)
    expect(await bookedOf(address)).toBe(arrived - sum(({ from }) => from[0] === address))
    expect(await world.balance(merchantId, 'ETH', 'custody:ETHEREUM')).toBe(-arrived)
  }
  expect(await bookedOf(HOT)).toBe(sum(({ to }) => to === HOT))
  const { rows } = await sql<{
    transaction: string
    address: string
    units: bigint
  }>`select transaction, address, sum(units) as units from deposits
    where block_height is not null and index not like 's:%' and index not like 'b:%' group by transaction, address order by 1, 2`.execute(
    world.db,
  )
  // A deposit found by balance stands for transfers of any transaction.
  const compared = await sql<{ address: string }>`select address from deposits where index like 'b:%'`.execute(world.db)
  const found = new Set(compared.rows.map(({ address }) => address))
  for (const { transaction, address, units } of rows) {
    const shownThere = sum((one) => one.hash === transaction && one.to === address)
    if (found.has(address)) expect(units).toBeLessThanOrEqual(shownThere)
    else expect(units).toBe(shownThere)
  }
  expect(await auditLedger(world.db)).toEqual([])
}

describe('audit M-A4 D-T2: blocks read again on any node credit nothing twice', () => {
  test('rows E-34, E-35 and E-36: in any history, and however each node shows it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 10, size: 'max' }), view, async (deeds, last) => {
        const walk = await start()
        for (const each of deeds) await carryOut(walk, each)
        for (let i = 0; i <= FINAL_DEPTH; i += 1) walk.chain.mine()
        if (last.shape === 'untraced') {
          await walk.read(last)
          for (let i = 0; i <= FINAL_DEPTH; i += 1) walk.chain.mine()
          await walk.read(EXACT)
          await walk.compare()
        }
        await walk.readAgain(last.shape === 'blind' || last.shape === 'untraced' ? EXACT : last)
        walk.chain.mine()
        await walk.read(EXACT)
        await audit(walk)
      }),
      { endOnFailure: true, numRuns: cases(4) },
    )
  })

  test('a node that numbers otherwise finds nothing new', async () => {
    const { address, merchantId } = await world.address('ETHEREUM')
    await world.mine('ETHEREUM', 100, [pay(address, E18, { hash: 'same', index: 't:1' })])
    await world.settle('ETHEREUM', 200, 150)
    await world.mine('ETHEREUM', 100, [pay(address, E18, { hash: 'same', index: 't:0' })])
    await world.settle('ETHEREUM', 201, 151)
    expect(await world.balance(merchantId, 'ETH', 'custody:ETHEREUM')).toBe(-E18)
  })

  test('a deposit with an old number of TRON leaves that number to another transfer', async () => {
    const [one, other] = [await world.address('ETHEREUM'), await world.address('ETHEREUM')]
    await world.mine('ETHEREUM', 100, [pay(one.address, E18, { hash: 'same', index: 't:was:0' })])
    const also = [{ index: 't:1', contract: null, from: ['payer'], to: one.address, units: E18 }]
    await world.mine('ETHEREUM', 100, [pay(other.address, 2n * E18, { hash: 'same', index: 't:0', also })])
    await world.settle('ETHEREUM', 200, 150)
    expect(await world.balance(one.merchantId, 'ETH', 'custody:ETHEREUM')).toBe(-E18)
    expect(await world.balance(other.merchantId, 'ETH', 'custody:ETHEREUM')).toBe(-2n * E18)
  })
})
