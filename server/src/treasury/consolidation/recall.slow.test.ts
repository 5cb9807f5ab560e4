/** A signed batch that a real node (Bitcoin Knots 29.4.3) refuses for good, as its operator has raised what is dust. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findBitcoind, startBitcoind, type Bitcoind } from '../../../../sandbox/bitcoind/index.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { describeWithBitcoind } from '../../../../test/setup/nodes.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { openBitcoinMoney } from '../../../../test/world/bitcoin-money.ts'

describeWithBitcoind('a batch that was signed', () => {
  const database = useDatabase({ template: migrated })
  const dataDir = join(temporaryFolder('recall'), 'data')
  const start = async (...more: string[]): Promise<Bitcoind> => {
    const found = await findBitcoind()
    if (!('program' in found)) throw new Error(found.missing)
    const { leadingArguments, ...program } = found.program
    return startBitcoind({ program: { ...program, leadingArguments: [...leadingArguments, ...more] }, dataDir })
  }

  test('row B-12: that the node never accepts is taken back, and paid anew without the dust that it refuses', async () => {
    let node = await start()
    onTestFinished(() => node.stop())
    const world = await openBitcoinMoney(node, database.url)
    onTestFinished(() => world.close())
    const { chain, address, request, mine, later, sent, state, alerts } = world
    await mine(1)
    for (let n = 0; n < 2; n += 1) await chain.pay(await address(), 5_000_000n)
    await mine(6)
    const [small, other] = [
      await request(await chain.newAddress(), 1_000n),
      await request(await chain.newAddress(), 100_000n),
    ]
    const { payouts, sending, recall, superseded } = world.worker()
    await payouts()
    await node.stop()
    node = await start('-dustrelayfee=0.0003')
    await node.rpc('loadwallet', 'faucet').catch(() => {})

    await sending()
    expect((await sent()).map((one) => `${one.purpose} ${one.state}`)).toEqual(['payout signed'])
    expect(await alerts()).toContain('broadcast')
    later(600_000)
    await recall()
    await sending()
    expect((await sent()).map((one) => `${one.purpose} ${one.state}`)).toEqual([
      'payout signed',
      'consolidation broadcast',
    ])
    await mine(6)
    await superseded()
    expect([await state(small), await state(other)]).toEqual(['requested', 'requested'])

    for (const run of [payouts, payouts, sending]) await run()
    expect([await state(small), await state(other)]).toEqual(['failed', 'sent'])
    await mine(6)
    expect(await state(other)).toBe('settled')
    expect(await world.differences()).toEqual([])
    expect((await alerts()).filter((kind) => kind !== 'withdrawal-impossible')).toEqual([])
  })
})
