/** Payouts on a real node (Bitcoin Knots 29.4.3): coins of miners, and payments that their receivers spend before they are mined. */
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../test/setup/database.ts'
import { migrated } from '../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../test/setup/nodes.ts'
import { openBitcoinMoney, type BitcoinMoney } from './test-bitcoin.ts'

describeWithBitcoind('payouts on a real node', () => {
  const node = useBitcoind()
  const database = useDatabase({ template: migrated })
  const open = async (more: Parameters<typeof openBitcoinMoney>[2] = {}): Promise<BitcoinMoney> => {
    const world = await openBitcoinMoney(await node(), database.url, more)
    await world.mine(1)
    onTestFinished(() => world.close())
    return world
  }

  test('audit D-B2, B1: a deposit that a miner is paid by its block does not hold up payouts', async () => {
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
})
