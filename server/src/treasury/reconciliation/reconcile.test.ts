import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { openAlerts } from '../../../../test/world/observed.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { undone } from '../../adapters/chains/simulated/transaction.ts'
import { countCosts } from '../costs/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createWorld, type World } from '../../../../test/world/deposits.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { auditLedger, balancesOf, PLATFORM } from '../../ledger/postings/index.ts'
import { listStops } from '../../ledger/stops/index.ts'
import { listRounds, reconcileNetwork, type Round } from './index.ts'
import { CHAIN, catalogue, createTreasury, E18, USDT, type Treasury } from '../../../../test/world/treasury.ts'

const database = useDatabase({ template: migrated })
const HOUR = 3_600_000
let world: World
let here: Treasury

beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())
beforeEach(async () => {
  here = await createTreasury(world, createSimulatedChain(CHAIN))
})

const lineOf = (lines: Round['lines'], ticker: string) => lines.find((line) => line.ticker === ticker)!

describe('books and chain agree', () => {
  test('by total and by address, at the height of the watcher; only addresses that moved are queried again', async () => {
    const owner = await here.someBusiness()
    const notified = here.lieAbout(new Map())
    const first = await here.round()
    const [eth] = [lineOf(first.lines, 'ETH')]
    expect(eth).toMatchObject({
      height: here.chain.head.height,
      hash: here.chain.head.hash,
      booked: eth.onChain,
      short: 0n,
      surplus: 0n,
    })
    expect(eth.booked).toBe(7n * E18 - 21_000n * 5_000_000_000n)
    expect(notified.asked).toContain(`${owner.address}/null`)
    notified.asked.length = 0
    await here.round()
    expect(new Set(notified.asked)).toEqual(new Set([`${here.hot}/null`, `${here.hot}/${USDT}`]))
    const [stored] = (await listRounds(world.db)).filter(({ ticker }) => ticker === 'ETH')
    expect(stored).toMatchObject({
      network: 'ETHEREUM',
      height: here.chain.head.height,
      booked: eth.booked,
      onChain: eth.booked,
    })
  })

  test('a deposit that waits for its confirmations is on the chain and in the records, and in the books when it is credited', async () => {
    const owner = await here.owner()
    here.chain.pay([{ to: owner.address, units: E18 }])
    here.chain.mine()
    await here.catchUp()
    expect(await world.balance(owner.merchantId, 'ETH')).toBe(0n)
    expect(lineOf((await here.round()).lines, 'ETH')).toMatchObject({
      booked: E18,
      onChain: E18,
      short: 0n,
      surplus: 0n,
    })
  })

  test('a transaction without effect costs only its fee', async () => {
    const owner = await here.someBusiness()
    const failed = await here.withdraw(owner.merchantId, E18)
    here.chain.take(undone([...here.chain.pool.values()][0]!))
    here.chain.mine(3)
    await here.catchUp()
    const { rows } = await sql<{ succeeded: boolean }>`select succeeded from outgoing where id = ${failed}`.execute(
      world.db,
    )
    expect(rows).toEqual([{ succeeded: false }])
    expect(lineOf((await here.round()).lines, 'ETH')).toMatchObject({ short: 0n, surplus: 0n })
  })

  test('lost blocks take back their deposits and payments, and other blocks bring them again', async () => {
    const owner = await here.someBusiness()
    here.chain.pay([
      { to: owner.address, units: E18 },
      { to: here.hot, units: E18 },
    ])
    await here.withdraw(owner.merchantId, E18)
    here.chain.mine()
    await here.catchUp()
    const hashes = here.chain.head.transactions.map(({ hash }) => hash)
    expect(hashes).toHaveLength(2)
    const before = lineOf((await here.round()).lines, 'ETH')
    here.chain.reorganise(1, { returned: hashes })
    await here.catchUp()
    const lost = lineOf((await here.round()).lines, 'ETH')
    expect(lost).toMatchObject({ booked: lost.onChain, short: 0n, surplus: 0n })
    expect(lost.onChain).not.toBe(before.onChain)
    here.chain.mine()
    await here.catchUp()
    expect(lineOf((await here.round()).lines, 'ETH')).toMatchObject({
      booked: before.booked,
      onChain: before.onChain,
      short: 0n,
      surplus: 0n,
    })
  })

  const deed = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('deposit' as const),
        token: fc.boolean(),
        who: fc.nat({ max: 2 }),
        thousandths: fc.integer({ min: 1, max: 9_000 }),
        fails: fc.nat({ max: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('withdraw' as const), thousandths: fc.integer({ min: 1, max: 500 }) }),
    },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 4 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('reorganise' as const),
        depth: fc.integer({ min: 1, max: 5 }),
        picked: fc.nat({ max: 15 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('mine and catch up' as const) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('reconcile' as const) }) },
  )

  test('in any history of deposits, payouts and reorganisations, at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 30 }), async (deeds) => {
        here = await createTreasury(world, createSimulatedChain(CHAIN))
        const { chain, hot } = here
        const owners = [await here.owner(), await here.owner()]
        chain.pay([
          { to: hot, units: 50n * E18 },
          { to: owners[0]!.address, units: 40n * E18 },
        ])
        chain.mine(8)
        await here.catchUp()
        for (const one of deeds) {
          if (one.do === 'deposit') {
            const to = [...owners.map(({ address }) => address), hot][one.who]!
            const units = (BigInt(one.thousandths) * (one.token ? 10n ** 6n : E18)) / 1_000n
            chain.pay([{ to, units, contract: one.token ? USDT : null }], { fails: one.fails === 0 })
          } else if (one.do === 'withdraw') {
            // A reorganisation may leave the account's earlier payments waiting: the next one then is refused by the
            // node.
            await here.withdraw(owners[0]!.merchantId, (BigInt(one.thousandths) * E18) / 1_000n).catch(() => undefined)
          } else if (one.do === 'mine') chain.mine(one.blocks)
          else if (one.do === 'mine and catch up') {
            chain.mine()
            await here.catchUp()
          } else if (one.do === 'reorganise') {
            const hashes = chain.blocks
              .slice(-one.depth)
              .flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
            chain.reorganise(one.depth, { returned: hashes.filter((_, i) => (one.picked >> (i % 4)) & 1) })
          } else if (one.do === 'look') await here.follower.step()
          else {
            const found = await reconcileNetwork(here.runtime, catalogue, here.adapter)
            for (const line of found?.lines ?? [])
              expect(line).toMatchObject({ onChain: line.booked, short: 0n, surplus: 0n })
          }
        }
        await here.catchUp()
        const { lines, left } = await here.round()
        expect(left).toBe(0)
        for (const line of lines) expect(line).toMatchObject({ onChain: line.booked, short: 0n, surplus: 0n })
        expect(await auditLedger(world.db)).toEqual([])
        await inTransaction(world.db, countCosts)
        const uncounted =
          await sql`select merchant_id, -posted as units from ledger_accounts where kind = 'network-costs'
          except select merchant_id, sum(units) from network_costs group by merchant_id`.execute(world.db)
        expect(uncounted.rows).toEqual([])
      }),
      { endOnFailure: true, numRuns: cases(25) },
    )
  })
})

describe('a surplus', () => {
  const suspense = async () =>
    (await balancesOf(world.db, 'suspense', [{ merchantId: PLATFORM, asset: 'ETH' }]))[0]!.posted

  test('alerts and freezes nothing; when it has stood for an hour it is posted to suspense, and the chain agrees', async () => {
    const owner = await here.someBusiness()
    here.lieAbout(new Map([[owner.address, 77n]]))
    await here.runJob()
    expect(await listStops(world.db)).toEqual([])
    expect((await openAlerts(world.db)).map(({ kind }) => kind)).toEqual(['custody-surplus'])
    expect(await suspense()).toBe(0n)
    here.later(HOUR)
    await here.runJob()
    expect(await suspense()).toBe(77n)
    await here.runJob()
    expect((await openAlerts(world.db)).map(({ kind, text }) => `${kind} ${text.slice(0, 27)}`)).toEqual([
      'custody-suspended 0.000000000000000077 ETH on',
    ])
    expect(lineOf((await here.round()).lines, 'ETH')).toMatchObject({ short: 0n, surplus: 0n })
    expect(await auditLedger(world.db)).toEqual([])
  })

  test('that a deposit explains later leaves suspense for it, without a shortage', async () => {
    const owner = await here.someBusiness()
    // The node shows no inner call: the block brings nothing, the balance does.
    here.chain.pay([{ to: owner.address, units: E18, inner: true }])
    const blocks = here.adapter.blockAt.bind(here.adapter)
    const { adapter } = here
    adapter.blockAt = async (height) => {
      const block = await blocks(height)
      return (
        block && {
          ...block,
          transactions: block.transactions.map((t) => ({
            ...t,
            transfers: t.transfers.filter(({ index }) => !index.startsWith('t:')),
          })),
        }
      )
    }
    here.chain.mine(10)
    await here.catchUp()
    await here.runJob()
    here.later(HOUR)
    await here.runJob()
    expect(await suspense()).toBe(E18)
    const held = {
      owner: {
        merchantId: owner.merchantId,
        addressId: owner.addressId,
        address: owner.address,
        index: 0,
        meta: null,
        leasedUntil: null,
      },
      units: 6n * E18,
    }
    const { height, hash } = here.chain.blocks.at(-7)!
    await world.act(
      async (tx, moment) =>
        (await world.deposits.explainBalances(tx, 'ETHEREUM', { height, hash }, [held], moment)) ?? noEffects,
    )
    here.chain.mine()
    await here.catchUp()
    await here.runJob()
    expect(await suspense()).toBe(0n)
    expect(await listStops(world.db)).toEqual([])
    expect(await openAlerts(world.db)).toEqual([])
    expect(lineOf((await here.round()).lines, 'ETH')).toMatchObject({ short: 0n, surplus: 0n })
  })
})
