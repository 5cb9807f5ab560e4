/**
 * Bitcoin payouts and coins on a real node: batches, bumps, children that pay for their parents,
 * and kills in between.
 */
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../../test/setup/nodes.ts'
import { openBitcoinMoney, type BitcoinMoney } from '../../../../test/world/bitcoin-money.ts'

const FINAL = 6
const HOUR = 3_600_000

describeWithBitcoind('Bitcoin in and out', () => {
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
  const received = async (address: string): Promise<bigint> => {
    const found = await world.chain.node.rpc<{ total_amount: string }>('scantxoutset', 'start', [`addr(${address})`])
    return BigInt(found.total_amount.replace('.', ''))
  }
  const inPool = (): Promise<string[]> => world.chain.node.rpc<string[]>('getrawmempool')
  test('twenty withdrawals leave with one transaction, straight from a deposit address, when they have waited long enough', async () => {
    const { request, work, later, sent, state, mine, costs, differences } = await open({
      sending: { batchWaitMs: 30_000 },
    })
    await world.deposit(3_000_000n)
    const to = await Promise.all(Array.from({ length: 20 }, someone))
    const ids = await Promise.all(to.map((address) => request(address, 20_000n)))
    await work()
    expect(await sent()).toEqual([])
    later(30_000)
    await work()
    expect(await sent()).toMatchObject([{ purpose: 'payout', state: 'broadcast' }])
    await mine(FINAL)
    expect(new Set(await Promise.all(ids.map(state)))).toEqual(new Set(['settled']))
    expect(await received(to[7]!)).toBe(20_000n)
    expect(await costs()).toEqual({ platform: 0n, merchant: (await world.sole('payout')).plannedFee })
    expect(await differences()).toEqual([])
  })

  test('a full batch leaves at once, and the rest waits', async () => {
    const { request, work, sent } = await open({ sending: { batchWaitMs: 30_000, mostPayments: 3 } })
    await world.fundWith(1_000_000n, 1_000_000n)
    for (let i = 0; i < 4; i += 1) await request(await someone(), 10_000n)
    await work()
    expect(await sent()).toHaveLength(1)
  })

  test('small withdrawals pass a large one until it is saved up for, and all are paid', async () => {
    const { request, work, later, state, mine, alerts } = await open({
      sending: { saveUpAfterMs: HOUR, saveUpMs: HOUR },
    })
    await world.fundWith(500_000n)
    const large = await request(await someone(), 800_000n)
    const small = await request(await someone(), 100_000n)
    await work()
    await mine(FINAL)
    expect([await state(large), await state(small)]).toEqual(['requested', 'settled'])
    later(HOUR)
    const held = await request(await someone(), 100_000n)
    await work()
    expect([await state(large), await state(held), await alerts()]).toEqual([
      'requested',
      'requested',
      ['hot-wallet-short'],
    ])
    await world.fundWith(500_000n)
    await work()
    await mine(FINAL)
    expect([await state(large), await state(held)]).toEqual(['settled', 'requested'])
    await world.fundWith(200_000n)
    await work()
    await mine(FINAL)
    expect([await state(held), await alerts()]).toEqual(['settled', []])
  })

  test('money that others sent to a change address is not spent before it is final; our own change is at once', async () => {
    const { request, work, sent, mine, db, state } = await open()
    await world.fundWith(1_000_000n)
    await request(await someone(), 100_000n)
    await work()
    await mine(1)
    const { rows } = await sql<{ address: string }>`select address from house_addresses where branch = 1`.execute(db)
    await world.pay(rows[0]!.address, 5_000_000n)
    await mine(1)
    const more = await request(await someone(), 2_000_000n)
    await work()
    expect(await state(more)).toBe('requested')
    const ofChange = await request(await someone(), 700_000n)
    await work()
    expect(await state(ofChange)).toBe('sent')
    await mine(FINAL)
    await work()
    expect(await state(more)).toBe('sent')
    expect(await sent()).toHaveLength(3)
  })

  const stuckPayout = async (): Promise<{ to: string; id: string; first: string }> => {
    await world.fundWith(100_000n, 60_000n)
    const to = await someone()
    const id = await world.request(to, 98_500n)
    await world.work()
    const first = (await world.sole('payout')).hash!
    expect(await inPool()).toContain(first)
    return { to, id, first }
  }

  test('a stuck payout whose change is used up is replaced with a coin added, keeps its first coin, and is paid once', async () => {
    const { rate, later, work, mine, state, differences } = await open()
    const { to, id, first } = await stuckPayout()
    const before = await world.sole('payout')
    rate(30_000n)
    later(600_000)
    await work()
    const after = await world.sole('payout')
    expect(after).toMatchObject({ attempts: 2, keys: [before.keys[0], expect.any(String)] })
    expect(await inPool()).toEqual([after.hash])
    expect(after.hash).not.toBe(first)
    await mine(FINAL)
    expect([await state(id), await received(to)]).toEqual(['settled', 98_500n])
    expect(await differences()).toEqual([])
  })

  test('when the first form of a bumped payout is mined after all, the coin that was added is free again', async () => {
    const { rate, later, work, chain, catchUp, mine, state, request, sent, differences } = await open()
    const { id, first } = await stuckPayout()
    const raw = await chain.node.rpc<string>('getrawtransaction', first)
    rate(30_000n)
    later(600_000)
    await work()
    expect((await world.sole('payout')).keys).toHaveLength(2)
    await chain.node.rpc('generateblock', await someone(), [raw])
    await catchUp()
    await mine(FINAL)
    expect(await state(id)).toBe('settled')
    expect(await differences()).toEqual([])
    rate(1_000n)
    const next = await request(await someone(), 50_000n)
    await work()
    expect([await state(next), (await sent()).length]).toEqual(['sent', 2])
  })

  test('a bump that the signer refuses gives back the coin it would have added', async () => {
    const { rate, later, work, mine, state, request, alerts, differences } = await open({ signerMaxFee: 3_000n })
    const { id, first } = await stuckPayout()
    rate(30_000n)
    later(600_000)
    await work()
    expect(await world.sole('payout')).toMatchObject({ attempts: 1, hash: first, keys: [expect.any(String)] })
    expect(await alerts()).toEqual(['signer-fee-too-high'])
    rate(1_000n)
    const next = await request(await someone(), 50_000n)
    await work()
    await mine(FINAL)
    expect([await state(id), await state(next)]).toEqual(['settled', 'settled'])
    expect(await differences()).toEqual([])
  })

  test('a payout that may not pay more itself is paid for by a child of its change', async () => {
    const { rate, later, work, mine, request, sent, state, costs, differences, alerts } = await open({
      sending: { maxFeePerMille: 100n },
    })
    await world.fundWith(1_000_000n)
    const id = await request(await someone(), 20_000n)
    await work()
    rate(40_000n)
    later(600_000)
    await work()
    const [parent, child] = await sent()
    expect([parent, child]).toMatchObject([
      { purpose: 'payout', attempts: 1 },
      { purpose: 'consolidation', state: 'broadcast', keys: [`${parent!.hash}:1`] },
    ])
    expect((await inPool()).toSorted()).toEqual([parent!.hash, child!.hash].toSorted())
    expect(parent!.plannedFee + child!.plannedFee).toBeGreaterThanOrEqual(40n * (141n + 109n))
    later(600_000)
    await work()
    expect(await sent()).toHaveLength(2)
    rate(60_000n)
    later(600_000)
    await work()
    expect((await sent())[1]).toMatchObject({ attempts: 2 })
    await mine(FINAL)
    expect([await state(id), await alerts()]).toEqual(['settled', []])
    const [, paid] = await sent()
    expect(paid!.state).toBe('final')
    expect(await costs()).toEqual({ platform: paid!.plannedFee, merchant: parent!.plannedFee })
    expect(await differences()).toEqual([])
  })

  test('a deposit stuck for its low fee is paid for, when it is worth it, and credited as ever', async () => {
    const { address, pay, rate, later, work, catchUp, mine, sent, costs, differences, db } = await open()
    const [to, poor] = [await address(), await address()]
    const hash = await pay(to, 2_000_000n)
    await pay(poor, 100_000n)
    await catchUp()
    rate(50_000n)
    await work()
    expect(await sent()).toEqual([])
    later(3 * HOUR)
    await work()
    const child = await world.sole('consolidation')
    expect(child.keys[0]).toContain(hash)
    const entry = await world.chain.node.rpc<{ fees: { ancestor: string }; ancestorsize: string }>(
      'getmempoolentry',
      child.hash,
    )
    expect(Number(entry.fees.ancestor) * 1e8).toBeGreaterThanOrEqual(50 * Number(entry.ancestorsize))
    await mine(FINAL)
    expect(await costs()).toEqual({ platform: 0n, merchant: child.plannedFee })
    const { rows } = await sql<{ state: string }>`select distinct state from deposits`.execute(db)
    expect(rows).toEqual([{ state: 'credited' }])
    expect(await differences()).toEqual([])
  })

  test('a child whose parent is replaced for good is ended once that is final, and not before', async () => {
    const { address, rate, later, work, catchUp, mine, chain, sent, alerts, differences } = await open()
    const { first, dearer } = await chain.conflicting(await address(), 2_000_000n)
    await catchUp()
    await chain.adapter.broadcast(first.raw)
    await catchUp()
    rate(50_000n)
    later(3 * HOUR)
    await work()
    expect((await world.sole('consolidation')).state).toBe('broadcast')
    await chain.node.rpc('generateblock', await someone(), [dearer.raw])
    await catchUp()
    await mine(FINAL - 2)
    later(60_000)
    await work()
    expect((await world.sole('consolidation')).state).toBe('broadcast')
    await mine(2)
    expect((await world.sole('consolidation')).state).toBe('abandoned')
    expect(await alerts()).not.toContain('broadcast')
    expect(await differences()).toEqual([])
    expect(await sent()).toHaveLength(1)
  })

  const KILLS = ['before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded']
  /**
   * Everything is brought to the brink of one kind of transaction; then the process dies at a point, and another goes
   * on.
   */
  const scenes: Record<
    string,
    { points: string[]; run: keyof ReturnType<BitcoinMoney['worker']>; prepare: () => Promise<void>; count: number }
  > = {
    payout: {
      points: ['batch-chosen', ...KILLS],
      run: 'payouts',
      prepare: async () => {
        await world.fundWith(1_000_000n)
        await world.request(await someone(), 50_000n)
        await world.request(await someone(), 60_000n)
      },
      count: 1,
    },
    bump: {
      points: ['bump-planned', ...KILLS],
      run: 'sending',
      prepare: async () => {
        await stuckPayout()
        world.rate(30_000n)
        world.later(600_000)
      },
      count: 1,
    },
    consolidation: {
      points: ['coins-gathered', ...KILLS],
      run: 'consolidation',
      prepare: async () => void (await world.deposit(...Array.from({ length: 6 }, () => 30_000n))),
      count: 1,
    },
    child: {
      points: ['child-chosen', ...KILLS],
      run: 'rescue',
      prepare: async () => {
        await world.pay(await world.address(), 2_000_000n)
        await world.catchUp()
        world.rate(50_000n)
        world.later(3 * HOUR)
      },
      count: 1,
    },
  }
  const kills = Object.entries(scenes).flatMap(([name, { points }]) => points.map((point) => [name, point] as const))

  test.each(kills)(
    'killed in a %s at %s: one transaction, and books and chain agree to the satoshi',
    async (name, point) => {
      const scene = scenes[name]!
      await open()
      await scene.prepare()
      const doomed = world.worker(point)
      let end = await doomed[scene.run]()
      for (let steps = 0; steps < 4 && end === 'done'; steps += 1) end = await doomed.sending()
      expect(end).toBe('killed')
      // The claims of the dead process are free again when its lease is over.
      world.later(20_000)
      await world.work()
      await world.mine(FINAL)
      const sent = await world.sent()
      expect(sent.filter(({ state }) => state === 'final')).toHaveLength(scene.count)
      expect(sent).toHaveLength(scene.count)
      expect(await world.differences()).toEqual([])
    },
  )
})
