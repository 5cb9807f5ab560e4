/**
 * Payouts on a real node (Bitcoin Knots 29.4.3): coins of miners, and payments that their receivers spend before they
 * are mined.
 */
import { btcText } from '@bursar/chainkit/bitcoin'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../../test/setup/nodes.ts'
import { takeCoin } from '../../../../test/world/bitcoin-transaction.ts'
import { openBitcoinMoney, type BitcoinMoney } from '../../../../test/world/bitcoin-money.ts'

describeWithBitcoind('payouts on a real node', () => {
  const node = useBitcoind()
  const database = useDatabase({ template: migrated })
  const open = async (more: Parameters<typeof openBitcoinMoney>[2] = {}): Promise<BitcoinMoney> => {
    const world = await openBitcoinMoney(await node(), database.url, more)
    await world.mine(1)
    onTestFinished(() => world.close())
    return world
  }

  test('audit D-B2, row B-1: a deposit that a miner is paid by its block does not hold up payouts', async () => {
    const { chain, address, catchUp, request, work, mine, sent, state } = await open()
    const deposit = await address()
    await chain.node.rpc('generatetoaddress', 1, deposit)
    await catchUp()
    await chain.pay(await address(), 2_000_000n)
    await mine(6)
    const id = await request(await chain.newAddress(), 1_500_000n)
    await request(await chain.newAddress(), 3_000_000n)
    await work()
    const [first] = await sent()
    await mine(6)
    expect([first?.state, await state(id)]).toEqual(['broadcast', 'settled'])
  })

  test('audit D-B3, row B-2: a payout whose receiver has paid for it is not replaced', async () => {
    const { chain, address, mine, later, request, work, sent } = await open()
    await chain.pay(await address(), 5_000_000n)
    await mine(6)
    const receiver = await chain.faucet<string>('getnewaddress')
    await request(receiver, 1_000_000n)
    await work()
    const [first] = await sent()
    const out = (
      await chain.node.rpc<{ vout: { n: number; scriptPubKey: { address: string } }[] }>(
        'getrawtransaction',
        first!.hash!,
        1,
      )
    ).vout.find((o) => o.scriptPubKey.address === receiver)!
    const back = await chain.faucet<string>('getnewaddress')
    // 20,000 satoshi for 110 virtual bytes: both are mined with the next block by any miner.
    const raw = await chain.node.rpc<string>(
      'createrawtransaction',
      [{ txid: first!.hash, vout: Number(out.n) }],
      [{ [back]: '0.00980000' }],
    )
    const { hex } = await chain.faucet<{ hex: string }>('signrawtransactionwithwallet', raw)
    const child = await chain.node.rpc<string>('sendrawtransaction', hex)
    later(600_001)
    for (let turn = 0; turn < 20; turn += 1) await work()
    const [now] = await sent()
    const pool = await chain.node.rpc<string[]>('getrawmempool')
    expect({ attempts: now!.attempts, childInPool: pool.includes(child) }).toEqual({ attempts: 1, childInPool: true })
  })

  test('audit D-B3: a payout at the rate that the node asks is not made dearer because blocks are slow', async () => {
    const { chain, address, mine, later, request, work, sent } = await open()
    await chain.pay(await address(), 5_000_000n)
    await mine(6)
    await request(await chain.newAddress(), 1_000_000n)
    await work()
    const [first] = await sent()
    for (let turn = 0; turn < 4; turn += 1) {
      later(600_001)
      await work()
    }
    const [now] = await sent()
    expect(now!.plannedFee).toBe(first!.plannedFee)
  })

  test('audit D-B9, row B-8: a deposit of a version 3 transaction is paid for by a child of version 3', async () => {
    const { chain, address, catchUp, rate, later, work, sent } = await open()
    const coin = await takeCoin(chain.faucet)
    const back = await chain.faucet<string>('getnewaddress')
    const outputs = [{ [await address()]: '0.02' }, { [back]: btcText(coin.units - 2_000_000n - 1_000n) }]
    const unsigned = await chain.node.rpc<string>(
      'createrawtransaction',
      [{ txid: coin.txid, vout: coin.vout }],
      outputs,
    )
    const { hex } = await chain.faucet<{ hex: string }>('signrawtransactionwithwallet', `03${unsigned.slice(2)}`)
    const parent = await chain.node.rpc<string>('sendrawtransaction', hex)
    await catchUp()
    rate(50_000n)
    later(3 * 3_600_000)
    await work()
    const [child] = await sent()
    expect(child).toMatchObject({
      purpose: 'consolidation',
      state: 'broadcast',
      keys: [expect.stringContaining(parent)],
    })
    expect((await chain.node.rpc<string>('getrawtransaction', child!.hash!)).slice(0, 8)).toBe('03000000')
  })
})
