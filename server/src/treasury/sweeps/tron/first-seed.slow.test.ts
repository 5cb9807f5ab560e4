/** A second seed takes the place of the first on TRON, on the sandbox's chain: about 20 seconds. */
import { SECOND_SEED } from '@bursar/chainkit'
import { serializeUnsigned } from '@bursar/chainkit/tron'
import { HDKey } from '@scure/bip32'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { seed } from '../../../../../test/world/signer.ts'
import { TRON_STRANGER } from '../../../../../test/world/tron-requests.ts'
import { broadcastOnTron, signOnTron } from '../../../../../test/world/tron-hot-key.ts'
import { openTronSweeps, type TronSweeps } from '../../../../../test/world/tron-sweeps.ts'
import { SOLID, TRON_USDT as USDT } from '../../../../../test/world/tron.ts'
import { TRON_HOT as OLD_HOT } from '../../../../../test/world/wallet.ts'
import { depositAddress, ownerOf } from '../../../chain/addresses/index.ts'
import { tronHotAddress } from '../../../chain/transactions/index.ts'
import { leftOnTron } from '../first-seed.ts'

const database = useDatabase({ template: migrated })
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const TRX = 1_000_000n
/** sun: less than a transfer of it burns */
const DUST = 300_000n

const open = async (given: Parameters<typeof openTronSweeps>[1] = {}): Promise<TronSweeps> => {
  const world = await openTronSweeps(database.url, given)
  onTestFinished(() => world.close())
  return world
}
const keysOf = async ({ db }: TronSweeps): Promise<string[]> => {
  const { rows } = await sql<{ purpose: string; account: string; index: number }>`select o.purpose,
      a.signing_keys->0->>'account' as account, (a.signing_keys->0->>'index')::bigint as index
    from outgoing o join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.state = 'final' order by o.created_at, o.id`.execute(db)
  return rows.map(
    ({ purpose, account, index }) => `${purpose} by the ${index < SECOND_SEED ? 'first' : 'second'} seed's ${account}`,
  )
}
const credited = (world: TronSweeps, owner: string, asset = 'USDT'): Promise<bigint> =>
  world.balance(owner, asset, 'merchant')
/** A thief of the first seed sends TRX of one of its deposit addresses away. */
const steal = async (
  { adapter, chain, db, mine }: TronSweeps,
  from: string,
  to: string,
  sun: bigint,
): Promise<void> => {
  const { index } = (await ownerOf(db, 'TRON', [from])).get(from)!
  const { refBlockBytes, refBlockHash, time } = await adapter.reference()
  const contract = { kind: 'TransferContract', owner: from, to, amount: sun } as const
  const unsigned = serializeUnsigned({
    refBlockBytes,
    refBlockHash,
    contract,
    expiration: time + MINUTE,
    timestamp: time,
    feeLimit: 0n,
  })
  const by = HDKey.fromMasterSeed(seed()).derive(`m/44'/195'/0'/0/${index}`).privateKey!
  await broadcastOnTron(chain.url, await signOnTron(Buffer.from(unsigned).toString('hex'), { by }))
  await mine(1)
}

test('in the middle of load: the second seed pays, later deposits at old addresses are credited when they are moved', async () => {
  const world = await open()
  const { address, pay, mine, work, settle, rotate, request, withdrawal, onChain, differences, db, wallet } = world
  const one = await address()
  await pay('USDT', one.address, '250')
  await pay('USDT', OLD_HOT, '500')
  await mine(SOLID)
  const stranger = TRON_STRANGER
  const signedBefore = await request('USDT', stranger, 70n * TRX)
  await work()
  await rotate()
  const newHot = tronHotAddress(wallet)
  const fresh = await address()
  expect(fresh.address).toBe(depositAddress(wallet, 'TRON', SECOND_SEED))
  const requestedAfter = await request('USDT', stranger, 90n * TRX)
  await pay('USDT', one.address, '30')
  await pay('USDT', fresh.address, '20')
  const before = await credited(world, one.merchantId)
  await mine(SOLID)
  expect(await credited(world, fresh.merchantId)).toBe(20n * TRX)
  expect((await credited(world, one.merchantId)) - before).toBe(0n)
  await settle()
  await settle()
  expect(await Promise.all([signedBefore, requestedAfter].map(withdrawal))).toEqual(['settled', 'settled'])
  expect((await credited(world, one.merchantId)) - before).toBe(30n * TRX)
  for (const old of [OLD_HOT, one.address]) {
    expect(await onChain(old, USDT)).toBe(0n)
    expect(await onChain(old, null)).toBeLessThan(DUST)
  }
  expect(await onChain(newHot, USDT)).toBe((250n + 500n + 30n + 20n - 70n - 90n) * TRX)
  const keys = await keysOf(world)
  expect(keys.filter((key) => key.startsWith('payout'))).toEqual([
    "payout by the first seed's hot",
    "payout by the second seed's hot",
  ])
  expect((await leftOnTron(db, wallet)).filter(({ asset }) => asset !== 'TRX')).toEqual([])
  expect(await differences()).toEqual([])
})

test('stake and loans of the old hot address come back by the operator’s order, and then leave it', async () => {
  const world = await open({ trx: '30000' })
  const { address, pay, mine, work, settle, stake, rotate, order, passTime, onChain, openLoans, differences } = world
  await stake({ kind: 'stake', resource: 'ENERGY', sun: 20_000n * TRX })
  const one = await address()
  await pay('TRX', one.address, '0.000001')
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  await work()
  await mine(SOLID)
  expect(await openLoans()).toBe(1)
  await rotate()
  await settle()
  expect(await openLoans()).toBe(0)
  const newHot = tronHotAddress(world.wallet)
  expect(await onChain(newHot, USDT)).toBe(250n * TRX)
  expect(await world.adapter.stakeOf(OLD_HOT)).toMatchObject({
    staked: { ENERGY: 20_000n * TRX },
    lent: { ENERGY: 0n },
  })
  expect(await order({ kind: 'stake', resource: 'ENERGY', sun: 4n * TRX })).toHaveProperty('id')
  expect(await order({ kind: 'unstake', resource: 'ENERGY', sun: 20_000n * TRX }, true)).toHaveProperty('id')
  await settle()
  await passTime(14 * DAY + MINUTE)
  expect(await order({ kind: 'withdraw' }, true)).toHaveProperty('id')
  await settle()
  await settle()
  expect(await onChain(OLD_HOT, null)).toBeLessThan(DUST)
  expect(await onChain(newHot, null)).toBeGreaterThan(29_900n * TRX)
  expect(await differences()).toEqual([])
})

test('a deposit at an old address, which a thief of the first seed takes, is not credited; the honest one after it is', async () => {
  const world = await open()
  const { address, pay, mine, settle, passTime, rotate, onChain } = world
  const [robbed, other] = [await address(), await address()]
  await rotate()
  await settle()
  await pay('TRX', robbed.address, '40')
  await pay('TRX', other.address, '11')
  await mine(1)
  await steal(world, robbed.address, TRON_STRANGER, 38n * TRX)
  await mine(SOLID)
  await settle()
  await mine(1)
  const both = () => Promise.all([robbed, other].map((one) => credited(world, one.merchantId, 'TRX')))
  expect(await both()).toEqual([0n, 11n * TRX])
  await pay('TRX', robbed.address, '7')
  await mine(SOLID)
  for (let hour = 0; hour < 3; hour += 1) {
    await passTime(60 * MINUTE)
    await settle()
  }
  expect(await both()).toEqual([0n, 11n * TRX])
  expect(await onChain(tronHotAddress(world.wallet), null)).toBeGreaterThan(5_017n * TRX)
})

test('what was planned and not signed is planned anew', async () => {
  const world = await open()
  const { address, pay, mine, plan, settle, request, withdrawal, rotate, passTime, onChain, differences, send } = world
  const one = await address()
  await pay('USDT', one.address, '250')
  await pay('USDT', OLD_HOT, '100')
  await mine(SOLID)
  const lost = await request('USDT', TRON_STRANGER, 10n * TRX)
  await plan()
  await world.job().run(new AbortController().signal)
  await rotate()
  await send()
  for (let turn = 0; turn < 4; turn += 1) {
    await passTime(20 * MINUTE)
    await settle()
  }
  expect(await withdrawal(lost)).toBe('settled')
  expect([await onChain(one.address, USDT), await onChain(OLD_HOT, USDT)]).toEqual([0n, 0n])
  expect(await differences()).toEqual([])
})

test('a payment that the first seed signed and that lapsed is paid by the second, once', async () => {
  const world = await open()
  const { pay, mine, work, settle, request, withdrawal, rotate, passTime, onChain, differences, meanwhile } = world
  await pay('USDT', OLD_HOT, '100')
  await mine(SOLID)
  const id = await request('USDT', TRON_STRANGER, 10n * TRX)
  // No node takes it any more when it is handed over.
  meanwhile('stored-not-broadcast', () => passTime(20 * MINUTE))
  await work()
  await rotate()
  for (let turn = 0; turn < 6; turn += 1) {
    await passTime(6 * MINUTE)
    await work()
    await mine(SOLID)
  }
  await settle()
  expect(await withdrawal(id)).toBe('settled')
  expect(await onChain(TRON_STRANGER, USDT)).toBe(10n * TRX)
  expect(await keysOf(world)).toContain("payout by the second seed's hot")
  expect(await onChain(OLD_HOT, USDT)).toBe(0n)
  expect(await differences()).toEqual([])
})

test('an old hot address without TRX gets what the transfer of its tokens burns from the new one, and no more', async () => {
  const world = await open({ trx: '1' })
  const { pay, mine, settle, rotate, onChain, outgoing, differences, wallet } = world
  await pay('USDT', OLD_HOT, '100')
  await mine(SOLID)
  await rotate()
  const newHot = tronHotAddress(wallet)
  await pay('TRX', newHot, '100')
  await mine(SOLID)
  await settle()
  await settle()
  expect((await outgoing('gas')).map(({ state }) => state)).toEqual(['final'])
  expect([await onChain(OLD_HOT, USDT), await onChain(newHot, USDT)]).toEqual([0n, 100n * TRX])
  expect(await onChain(newHot, null)).toBeGreaterThan(70n * TRX)
  expect(await differences()).toEqual([])
})
