import { sql } from 'kysely'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { planWithdrawal } from '../../../../test/world/withdrawal.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { undone } from '../../adapters/chains/simulated/transaction.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { blockOf, createWorld, pay, type Owned, type World } from '../../../../test/world/deposits.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { createTransactionSubscriber, insertPlanned } from '../../chain/transactions/index.ts'
import { recordBump, recordSigned } from '../../chain/transactions/commands.ts'
import { OUTGOING_COLUMNS } from '../../chain/transactions/store.ts'
import type { Outgoing } from '../../chain/transactions/transaction.ts'
import { CHAIN, catalogue, createTreasury, E18, type Treasury } from '../../../../test/world/treasury.ts'
import { createSettlement } from '../../pay-out/withdrawals/index.ts'
import { countCosts, costTotals, createCostJob, listCosts, sharesOf } from './index.ts'

const database = useDatabase({ template: migrated })
const ALL = { from: null, to: null, merchantId: null, network: null, asset: null }
const GAS = 21_000n * 5_000_000_000n
let world: World
let here: Treasury

beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())
beforeEach(async () => {
  here = await createTreasury(world, createSimulatedChain(CHAIN))
})

const costs = async (filter: Partial<typeof ALL> | Record<string, string> = {}) => {
  await inTransaction(world.db, countCosts)
  return listCosts(world.db, { ...ALL, ...filter })
}
/** The count is the ledger's own figure, for every merchant and asset. */
const expectSameAsLedger = async (): Promise<void> => {
  await inTransaction(world.db, countCosts)
  const { rows } =
    await sql`select merchant_id, asset, -posted as units from ledger_accounts where kind = 'network-costs'
    except select merchant_id, asset, sum(units) from network_costs group by merchant_id, asset`.execute(world.db)
  expect(rows).toEqual([])
}
const outgoingOf = async (id: string): Promise<Outgoing> =>
  (await sql<Outgoing>`select ${OUTGOING_COLUMNS} from outgoing o where o.id = ${id}`.execute(world.db)).rows[0]!

const funded = async (): Promise<Owned> => {
  const owner = await here.owner()
  here.chain.pay([
    { to: owner.address, units: 9n * E18 },
    { to: here.hot, units: 9n * E18 },
  ])
  here.chain.mine(10)
  await here.catchUp()
  return owner
}

describe('on a chain of accounts', () => {
  test('a payout costs the merchant its gas; when it fails that is a cost of its own kind; both by day', async () => {
    const owner = await funded()
    await here.withdraw(owner.merchantId, E18)
    here.chain.mine(8)
    await here.catchUp()
    here.later(86_400_000)
    await here.withdraw(owner.merchantId, E18)
    here.chain.take(undone([...here.chain.pool.values()][0]!))
    here.chain.mine(8)
    await here.catchUp()
    const line = { merchantId: owner.merchantId, network: 'ETHEREUM', asset: 'ETH', units: GAS, postings: 1 }
    expect(await costs()).toEqual([
      { ...line, operation: 'payout' },
      { ...line, operation: 'payout-failed' },
    ])
    expect(await costs({ to: '2026-01-01' })).toEqual([{ ...line, operation: 'payout' }])
    expect(await costs({ from: '2026-01-02' })).toEqual([{ ...line, operation: 'payout-failed' }])
    expect(await costs({ merchantId: PLATFORM })).toEqual([])
    expect(await costTotals(world.db)).toMatchObject([
      { operation: 'payout', units: GAS },
      { operation: 'payout-failed', units: GAS },
    ])
    await expectSameAsLedger()
  })

  test('a block that is lost is counted back, and its transaction counted again where it comes to stand', async () => {
    const owner = await funded()
    await here.withdraw(owner.merchantId, E18)
    here.chain.mine()
    await here.catchUp()
    expect(await costs()).toMatchObject([{ units: GAS, postings: 1 }])
    here.chain.reorganise(1, { returned: here.chain.head.transactions.map(({ hash }) => hash) })
    await here.catchUp()
    expect(await costs()).toMatchObject([{ units: 0n, postings: 2 }])
    here.chain.mine()
    await here.catchUp()
    await createCostJob(world, 1).run(new AbortController().signal)
    expect(await listCosts(world.db, ALL)).toMatchObject([{ operation: 'payout', units: GAS, postings: 3 }])
    await expectSameAsLedger()
  })

  test('a transaction that pays no order costs the platform', async () => {
    const moment = world.moment()
    const id = here.runtime.newId()
    await inTransaction(world.db, async (tx) => {
      await insertPlanned(
        tx,
        {
          id,
          network: 'ETHEREUM',
          purpose: 'filler',
          senders: [here.hot],
          nonce: 7,
          keys: [],
          unsigned: '00',
          signingKeys: [],
          feeRate: {},
          networkFee: 1n,
        },
        moment,
      )
    })
    await inTransaction(world.db, async (tx) =>
      recordSigned(tx, await outgoingOf(id), 1, { raw: '01', hash: 'filler' }, moment),
    )
    await mined('ETHEREUM', 'filler', 777n)
    expect(await costs()).toEqual([
      { merchantId: PLATFORM, network: 'ETHEREUM', asset: 'ETH', operation: 'filler', units: 777n, postings: 1 },
    ])
    expect(await sharesOf(world.db, catalogue, 'filler')).toMatchObject({
      paid: 777n,
      shares: [{ merchantId: PLATFORM, cause: { kind: 'outgoing', id }, units: 777n }],
    })
    await expectSameAsLedger()
  })
})

describe('one transaction that pays many', () => {
  test('its fee is split to the last unit, largest remainders first, and the parts add up to the paid fee', async () => {
    const [one, two] = [here.runtime.newId(), here.runtime.newId()]
    await planned('batch', [one, one, two], ['batch-1'])
    await mined('BITCOIN', 'batch-1', 10_007n)
    const shared = await sharesOf(world.db, catalogue, 'batch-1')
    expect(shared!.paid).toBe(10_007n)
    expect(shared!.shares.map(({ units }) => units).toSorted()).toEqual([3_335n, 3_336n, 3_336n])
    expect(shared!.shares.reduce((sum, { units }) => sum + units, 0n)).toBe(10_007n)
    const byMerchant = new Map((await costs()).map(({ merchantId, units }) => [merchantId, units]))
    expect(byMerchant.get(one)! + byMerchant.get(two)!).toBe(10_007n)
    expect([6_671n, 6_672n]).toContain(byMerchant.get(one))
    await expectSameAsLedger()
  })

  test('of several attempts the one that is mined is paid for, and only it', async () => {
    const one = here.runtime.newId()
    await planned('bumped', [one], ['cheap', 'dear'])
    await mined('BITCOIN', 'dear', 9_000n)
    expect(await costs()).toMatchObject([
      { merchantId: one, network: 'BITCOIN', asset: 'BTC', operation: 'payout', units: 9_000n, postings: 1 },
    ])
    expect((await sharesOf(world.db, catalogue, 'cheap'))!.paid).toBe(9_000n)
    await expectSameAsLedger()
  })

  test('without an order left costs the platform', async () => {
    await planned('empty', [], ['stranger'])
    await mined('BITCOIN', 'stranger', 500n)
    expect(await costs()).toMatchObject([{ merchantId: PLATFORM, operation: 'payout', units: 500n }])
  })

  test('in no block yet costs nothing yet; one that is not ours is not known', async () => {
    await planned('waiting', [here.runtime.newId()], ['waits'])
    expect(await costs()).toEqual([])
    expect(await sharesOf(world.db, catalogue, 'waits')).toMatchObject({ paid: null, shares: [] })
    expect(await sharesOf(world.db, catalogue, 'foreign')).toBeUndefined()
  })
})

test('counting from many processes at once counts everything once', async () => {
  const owners = [here.runtime.newId(), here.runtime.newId()]
  for (let i = 0; i < 6; i += 1) {
    await planned(`p${i}`, owners, [`h${i}`])
    await Promise.all([
      mined('BITCOIN', `h${i}`, 1_001n),
      ...Array.from({ length: 4 }, () => inTransaction(world.db, countCosts)),
    ])
  }
  await expectSameAsLedger()
  expect((await costs()).reduce((sum, { units }) => sum + units, 0n)).toBe(6_006n)
})

/** A Bitcoin payout of 1,000 to each of these merchants' receivers, signed so many times over. */
const planned = async (name: string, merchants: readonly string[], hashes: readonly string[]): Promise<void> => {
  const moment = world.moment()
  const outgoingId = here.runtime.newId()
  for (const merchantId of merchants) await giveMoney(here.runtime, { merchantId, asset: 'BTC' }, 2_000n)
  await inTransaction(world.db, async (tx) => {
    await insertPlanned(
      tx,
      {
        id: outgoingId,
        network: 'BITCOIN',
        purpose: 'payout',
        senders: ['ours'],
        nonce: null,
        keys: [`${name}:0`],
        unsigned: '00',
        signingKeys: [],
        feeRate: {},
        networkFee: 1n,
      },
      moment,
    )
    for (const merchantId of merchants)
      await planWithdrawal(
        tx,
        here.runtime,
        { merchantId, ticker: 'BTC', blockchain: 'BITCOIN', to: 'x', units: 1_000n, fee: 10n },
        outgoingId,
      )
  })
  for (const [i, hash] of hashes.entries()) {
    const outgoing = await outgoingOf(outgoingId)
    if (i > 0)
      await inTransaction(world.db, (tx) =>
        recordBump(tx, outgoing, { unsigned: '00', signingKeys: [], feeRate: {}, networkFee: 1n }, moment),
      )
    await inTransaction(world.db, (tx) => recordSigned(tx, outgoing, i + 1, { raw: '01', hash }, moment))
  }
}

let height = 1_000
/** A block with one of our transactions in it. */
const mined = async (network: 'BITCOIN' | 'ETHEREUM', hash: string, fee: bigint): Promise<void> => {
  const following = createTransactionSubscriber([createSettlement(catalogue)])
  height += 1
  const block = blockOf(height, [{ ...pay('payer', 1n, { hash, keys: [`${'e'.repeat(64)}:0`] }), fee }])
  const moment = world.moment()
  await inTransaction(world.db, async (tx) => carryOut(tx, await following.block(tx, network, block, moment), moment))
}
