/** Small coins of Bitcoin joined on a real node: when fees are low, and which coins are left alone. */
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../../test/setup/nodes.ts'
import { openBitcoinMoney, type BitcoinMoney } from '../../../../test/world/bitcoin-money.ts'
import { stopMoney } from '../../../../test/world/stops.ts'

const FINAL = 6
const HOUR = 3_600_000

describeWithBitcoind('small coins', () => {
  const node = useBitcoind()
  const database = useDatabase({ template: migrated })
  let world: BitcoinMoney
  const open = async (more: Parameters<typeof openBitcoinMoney>[2] = {}): Promise<BitcoinMoney> => {
    world = await openBitcoinMoney(await node(), database.url, more)
    // Transactions of earlier tests in the pool do not concern this one.
    await world.mine(1)
    onTestFinished(() => world.close())
    return world
  }
  const someone = (): Promise<string> => world.chain.newAddress()

  test('small coins are joined when fees are low, not when they are high; the fee is posted and taken back with its block', async () => {
    const { rate, work, later, mine, sent, costs, differences, chain, catchUp } = await open()
    await world.deposit(...Array.from({ length: 6 }, (_, i) => 30_000n + BigInt(i)))
    rate(5_001n)
    await work()
    expect(await sent()).toEqual([])
    rate(2_000n)
    await work()
    const joined = await world.sole('consolidation')
    expect([joined.state, joined.keys.length]).toEqual(['broadcast', 5])
    await mine(1)
    expect(await costs()).toEqual({ platform: 0n, merchant: joined.plannedFee })
    expect(await differences()).toEqual([])
    await chain.reorg(1, [joined.hash!])
    await catchUp()
    expect(await costs()).toEqual({ platform: 0n, merchant: 0n })
    expect(await differences()).toEqual([])
    later(60_000)
    await work()
    await mine(FINAL)
    expect([(await world.sole('consolidation')).state, await costs()]).toEqual([
      'final',
      { platform: 0n, merchant: joined.plannedFee },
    ])
    expect(await differences()).toEqual([])
  })

  test('audit M-B1: a refusal of the signer frees the coins, and refused or stopped ones are not planned again and again', async () => {
    const { work, later, sent, alerts, db, address, pay, catchUp, rate } = await open({ signerJoins: false })
    await world.deposit(...Array.from({ length: 6 }, () => 30_000n))
    for (let i = 0; i < 3; i += 1) await work()
    expect([(await world.sole('consolidation')).state, await alerts()]).toEqual(['abandoned', ['signer-disabled']])
    const { rows } = await sql`select from utxos where reserved_by is not null`.execute(db)
    expect(rows).toEqual([])
    await stopMoney(db, { asset: 'BTC' })
    await pay(await address(), 2_000_000n)
    await catchUp()
    later(4 * HOUR)
    await work()
    rate(50_000n)
    await work()
    expect(await sent()).toHaveLength(1)
    await sql`update freezes set lifted_at = created_at`.execute(db)
    await work()
    expect(await sent()).toHaveLength(2)
  })

  test('coins that waiting payments need are left alone, and a share of all stays', async () => {
    const { work, request, sent } = await open({
      sending: { batchWaitMs: HOUR },
      consolidation: { mostPerMille: 1000n, leastCoins: 3 },
    })
    await world.deposit(...Array.from({ length: 8 }, () => 30_000n))
    await request(await someone(), 100_000n)
    await work()
    expect((await world.sole('consolidation')).keys).toHaveLength(4)
    expect(await sent()).toHaveLength(1)
  })

  test('fees are low when they are among the lowest seen lately', async () => {
    const { rate, work, later, sent } = await open({
      consolidation: { percentile: 25, leastSeen: 4, mostPerMille: 1000n },
    })
    await world.deposit(...Array.from({ length: 6 }, () => 30_000n))
    for (const seen of [2_000n, 3_000n, 4_000n]) {
      rate(seen)
      await work()
      later(600_000)
    }
    expect(await sent()).toEqual([])
    rate(2_500n)
    await work()
    expect(await sent()).toEqual([])
    later(600_000)
    rate(2_000n)
    await work()
    expect(await sent()).toHaveLength(1)
  })
})
