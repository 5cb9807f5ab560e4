/** Proofs of reserves. Accounts are inserted raw: thousands of them, and some below zero, which the ledger refuses. */
import { randomBytes, randomUUID } from 'node:crypto'
import { verifyReserveProof } from '@bursar/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { createWorld, E18, type World } from '../../../../test/world/deposits.ts'
import { CHAIN, catalogue, createTreasury } from '../../../../test/world/treasury.ts'
import { reconcileNetwork } from '../reconciliation/index.ts'
import { proofFile, proofFiles, readLeaves, readReport, takeReport } from './index.ts'

const database = useDatabase({ template: migrated })
let world: World
beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.reset()
  await withoutTriggers(world.db, (tx) =>
    sql`truncate reserve_leaves, reserve_reports, custody_rounds; delete from merchants`.execute(tx),
  )
})

const take = () =>
  takeReport(world.db, catalogue, { id: randomUUID(), at: new Date(world.now), secret: randomBytes(32), sign: null })

test('liabilities are all balances with holds, beside reserves at named heights and money in transit', async () => {
  const here = await createTreasury(world, createSimulatedChain(CHAIN))
  const [owner, other] = [await here.owner(), await here.owner()]
  // One transaction each: what a contract hands out within one waits for its balance to be looked at.
  for (const [to, units] of [
    [owner.address, 5n],
    [other.address, 2n],
    [here.hot, 3n],
  ] as const)
    here.chain.pay([{ to, units: units * E18 }])
  here.chain.mine(10)
  await here.catchUp()
  await here.withdraw(owner.merchantId, E18)
  here.chain.mine(2)
  await here.catchUp()
  await reconcileNetwork(here.runtime, catalogue, here.adapter)
  const { report, statement } = await take()
  const eth = statement.assets.find(({ ticker }) => ticker === 'ETH')!
  const gas = 21_000n * 5_000_000_000n
  const owed = (7n * E18 * 99n) / 100n
  expect(eth).toMatchObject({
    scale: 18,
    liabilities: String(owed),
    inTransit: String(E18),
    suspense: '0',
    quarantine: '0',
  })
  expect(eth.reserves).toEqual([
    { network: 'ETHEREUM', height: here.chain.head.height, hash: here.chain.head.hash, units: String(9n * E18 - gas) },
  ])
  const proof = proofFile(report, await readLeaves(world.db, report.id), owner.merchantId)
  const verified = verifyReserveProof(JSON.stringify(proof), {
    merchantId: owner.merchantId,
    commitment: report.commitment,
    expected: { ETH: '4.95' },
  })
  expect(verified.merchants).toBe(2)
})

describe('a report', () => {
  const merchant = async (id: string): Promise<string> => {
    await makeMerchant(world.db, 0, { id })
    return id
  }
  const owe = (merchantId: string, asset: string, units: bigint) =>
    withoutTriggers(world.db, (tx) =>
      sql`insert into ledger_accounts(merchant_id, asset, kind, posted, bounded) values (${merchantId}, ${asset}, 'merchant', ${units}, true)
      on conflict (merchant_id, asset, kind) do update set posted = excluded.posted`.execute(tx),
    )

  test('counts money at acquirers, on its way to the bank and in the bank as held', async () => {
    const id = await merchant(randomUUID())
    await owe(id, 'UAH', 100_00n)
    const hold = (kind: string, units: bigint) =>
      withoutTriggers(world.db, (tx) =>
        sql`insert into ledger_accounts(merchant_id, asset, kind, posted, bounded) values (${id}, 'UAH', ${kind}, ${-units}, false)`.execute(
          tx,
        ),
      )
    for (const [kind, units] of [
      ['acquirer:bank', 70_00n],
      ['settlement:bank', 20_00n],
      ['bank', 10_00n],
      ['acquirer:other', -5_00n],
      ['acquirer-costs', 3n],
    ] as const)
      await hold(kind, units)
    const cards = createCatalogue({ crypto: [], fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2 }] })
    const taken = await takeReport(world.db, cards, {
      id: randomUUID(),
      at: new Date(world.now),
      secret: randomBytes(32),
      sign: null,
    })
    const uah = taken.statement.assets.find(({ ticker }) => ticker === 'UAH')!
    expect(uah).toMatchObject({
      liabilities: '10000',
      reserves: [],
      accounts: [
        { name: 'acquirer:bank', units: '7000' },
        { name: 'acquirer:other', units: '-500' },
        { name: 'bank', units: '1000' },
        { name: 'settlement:bank', units: '2000' },
      ],
    })
  })

  test('stays: proofs of an old one do not change when balances change', async () => {
    const id = await merchant(randomUUID())
    await owe(id, 'BTC', 5n)
    const first = await take()
    await owe(id, 'BTC', 9n)
    world.now += 1
    const second = await take()
    const prove = async (reportId: string) => {
      const report = (await readReport(world.db, reportId))!
      const proof = proofFile(report, await readLeaves(world.db, reportId), id)
      return verifyReserveProof(JSON.stringify(proof), { merchantId: id, commitment: report.commitment }).balances[0]!
        .value
    }
    expect(await prove(first.report.id)).toBe('0.00000005')
    expect(await prove(second.report.id)).toBe('0.00000009')
    expect((await readReport(world.db, null))!.id).toBe(second.report.id)
    await expect(sql`update reserve_leaves set units = '{1,1,1}'`.execute(world.db)).rejects.toThrow('append-only')
    await expect(sql`delete from reserve_reports`.execute(world.db)).rejects.toThrow('append-only')
  })

  test('counts a merchant with nothing, one never seen in the ledger, and one no longer listed', async () => {
    const idle = await merchant(randomUUID())
    const unlisted = randomUUID()
    await owe(unlisted, 'USDT', 7n)
    const { report, statement } = await take()
    expect(statement.merchants).toBe(2)
    const proofs = [...proofFiles(report, await readLeaves(world.db, report.id), null)]
    expect(proofs.map(({ merchantId }) => merchantId).toSorted()).toEqual([idle, unlisted].toSorted())
    for (const proof of proofs) verifyReserveProof(JSON.stringify(proof), { merchantId: proof.merchantId })
  })

  test('refuses to leave out an asset that the list lacks', async () => {
    await owe(await merchant(randomUUID()), 'DOGE', 1n)
    await expect(take()).rejects.toThrow('merchants have DOGE')
  })

  test('without merchants holds too', async () => {
    const { report, statement } = await take()
    expect(statement.merchants).toBe(0)
    expect([...proofFiles(report, await readLeaves(world.db, report.id), null)]).toEqual([])
  })

  test('of 10,000 merchants has a proof for each', async () => {
    await withoutTriggers(world.db, (tx) =>
      sql`insert into ledger_accounts(merchant_id, asset, kind, posted, bounded)
      select gen_random_uuid(), a, 'merchant', i, true from generate_series(1, 5000) i cross join unnest('{BTC,ETH}'::text[]) a`.execute(
        tx,
      ),
    )
    const { report, statement } = await take()
    expect(statement.merchants).toBe(10_000)
    expect(statement.assets[0]!.liabilities).toBe(String((5_000n * 5_001n) / 2n))
    const leaves = await readLeaves(world.db, report.id)
    const chosen = leaves[777]!.merchantId
    expect(
      verifyReserveProof(JSON.stringify(proofFile(report, leaves, chosen)), { merchantId: chosen }).merchants,
    ).toBe(10_000)
  })
})
