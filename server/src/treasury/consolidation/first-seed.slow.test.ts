/** A second seed takes the place of the first, on a real node: about 15 seconds. */
import { SECOND_SEED } from '@bursar/chainkit'
import { Transaction } from '@scure/btc-signer'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../../test/setup/nodes.ts'
import { scriptTo } from '../../../../test/world/bitcoin-node.ts'
import { openBitcoinMoney, type BitcoinMoney } from '../../../../test/world/bitcoin-money.ts'
import { createStockJob, depositAddress } from '../../chain/addresses/index.ts'
import { leftUnderFirstSeed } from '../../chain/transactions/index.ts'

const FINAL = 6

describeWithBitcoind('after a rotation', () => {
  const node = useBitcoind()
  const database = useDatabase({ template: migrated })
  const open = async (): Promise<BitcoinMoney> => {
    const world = await openBitcoinMoney(await node(), database.url)
    await world.mine(1)
    onTestFinished(() => world.close())
    return world
  }
  const indexesOf = async ({ db }: BitcoinMoney): Promise<number[][]> => {
    const { rows } = await sql<{ keys: { index: number }[] }>`select (select a.signing_keys from outgoing_attempts a
      where a.outgoing_id = o.id order by a.attempt desc limit 1) as keys from outgoing o order by o.id`.execute(db)
    return rows.map(({ keys }) => keys.map(({ index }) => index))
  }
  const isSecond = (index: number): boolean => index >= SECOND_SEED

  test('coins of the first seed go to the second, which pays; later deposits at old addresses are credited and follow', async () => {
    const world = await open()
    const { runtime, wallet, work, mine, request, state, chain, sent, db } = world
    await createStockJob({ runtime, keys: wallet, families: ['BITCOIN'], target: 4 }).run(new AbortController().signal)
    const [payersAddress] = await world.deposit(600_000n, 400_000n)
    await world.rotate()
    const fresh = await world.address()
    expect(fresh).toBe(depositAddress(wallet, 'BITCOIN', SECOND_SEED))
    const id = await request(await chain.newAddress(), 500_000n)
    await work()
    expect((await sent()).map(({ purpose, state: at }) => `${purpose} ${at}`)).toEqual(['consolidation broadcast'])
    expect(await state(id)).toBe('requested')
    await mine(1)
    await work()
    await mine(FINAL)
    expect(await state(id)).toBe('settled')
    const [swept, paid] = await indexesOf(world)
    expect([swept!.some(isSecond), paid!.every(isSecond)]).toEqual([false, true])

    const before = await world.balance(world.merchantId, 'BTC', 'merchant')
    await chain.pay(payersAddress!, 200_000n)
    await chain.pay(fresh, 100_000n)
    await mine(FINAL)
    const credited = async () => (await world.balance(world.merchantId, 'BTC', 'merchant')) - before
    expect(await credited()).toBe(100_000n)
    expect(await leftUnderFirstSeed(db, 'BITCOIN', wallet)).toEqual({ units: 200_000n, coins: 1 })
    await work()
    await mine(FINAL - 1)
    expect(await credited()).toBe(100_000n)
    await mine(1)
    expect(await credited()).toBe(300_000n)
    expect(await leftUnderFirstSeed(db, 'BITCOIN', wallet)).toEqual({ units: 0n, coins: 0 })
    expect(await world.differences()).toEqual([])
  })

  test('a payment that the first seed signed is replaced; a worker killed while it empties the seed does nothing twice', async () => {
    const world = await open()
    const { work, mine, request, state, chain, later, rate, sent } = world
    await world.deposit(900_000n, 700_000n, 800_000n)
    const id = await request(await chain.newAddress(), 300_000n)
    await work()
    const [first] = await sent()
    await world.rotate()
    expect(await world.worker('coins-gathered').firstSeed()).toBe('killed')
    expect(await sent()).toHaveLength(1)
    later(600_001)
    rate(20_000n)
    await work()
    await work()
    const [payout, ...others] = await sent()
    expect([first!.attempts, payout!.attempts, payout!.state]).toEqual([1, 2, 'broadcast'])
    expect(others.map(({ purpose, state: at }) => `${purpose} ${at}`)).toEqual(['consolidation broadcast'])
    expect(await chain.node.rpc('getmempoolentry', payout!.hash!)).toBeTruthy()
    await mine(FINAL)
    await work()
    await mine(FINAL)
    expect(await state(id)).toBe('settled')
    expect(await world.differences()).toEqual([])
  })

  test('payments and consolidations that were planned and not signed are planned anew, with the second seed', async () => {
    const world = await open()
    const { mine, request, state, chain, later, work, sent, alerts } = world
    await world.deposit(900_000n, 900_000n, ...Array.from({ length: 5 }, () => 30_000n))
    const id = await request(await chain.newAddress(), 300_000n)
    const { payouts, consolidation } = world.worker()
    await payouts()
    await consolidation()
    expect((await sent()).map(({ purpose, state: at }) => `${purpose} ${at}`).toSorted()).toEqual([
      'consolidation planned',
      'payout planned',
    ])
    await world.rotate()
    await work()
    expect(await alerts()).toContain('signer-rotated')
    for (let turn = 0; turn < 3; turn += 1) {
      later(10 * 60_000)
      await work()
      await mine(FINAL)
    }
    expect(await state(id)).toBe('settled')
    expect(await leftUnderFirstSeed(world.db, 'BITCOIN', world.wallet)).toEqual({ units: 0n, coins: 0 })
    expect(await world.differences()).toEqual([])
  })

  test('a deposit at an old address, whose coin a thief of the first seed takes back, is not credited', async () => {
    const world = await open()
    const { mine, work, chain, stolen } = world
    const old = await world.address()
    await world.rotate()
    await world.fundWith(900_000n)
    const hash = await world.pay(old, 500_000n)
    await mine(1)
    // Branch 0, index 0 of the deposit account: the first address of this world.
    const key = { account: 'deposit', branch: 0, index: 0 } as const
    const { script, address } = stolen.bitcoinAddress(key)
    expect(address).toBe(old)
    const paid = await chain.node.rpc<{ vout: { n: string; scriptPubKey: { address?: string } }[] }>(
      'getrawtransaction',
      hash,
      true,
    )
    const vout = Number(paid.vout.find((one) => one.scriptPubKey.address === old)!.n)
    const theft = new Transaction()
    theft.addInput({ txid: hash, index: vout, witnessUtxo: { script, amount: 500_000n } })
    theft.addOutput({ script: scriptTo(await chain.newAddress()), amount: 499_000n })
    stolen.withBitcoinKeys([key], ([secret]) => theft.sign(secret!))
    theft.finalize()
    await chain.node.rpc('sendrawtransaction', Buffer.from(theft.extract()).toString('hex'))
    await mine(1)
    await mine(FINAL)
    await work()
    await mine(FINAL)
    expect(await world.balance(world.merchantId, 'BTC', 'merchant')).toBe(0n)
  })

  test('a replacement by the worker brings no coin of the second seed to an address of the first', async () => {
    const world = await open()
    const { request, work, chain, later, rate, sent } = world
    await world.deposit(310_000n)
    await request(await chain.newAddress(), 305_000n)
    await work()
    const [first] = await sent()
    expect(first).toMatchObject({ purpose: 'payout', state: 'broadcast' })
    // Miners leave it out from now on.
    await chain.node.rpc('prioritisetransaction', first!.hash!, 0, -144)
    await world.rotate()
    await world.fundWith(900_000_000n)
    later(600_001)
    rate(100_000n)
    await work()
    await work()
    const payout = (await sent()).find(({ purpose }) => purpose === 'payout')!
    expect(payout).toMatchObject({ attempts: 1, state: 'broadcast', hash: first!.hash })
  })
})
