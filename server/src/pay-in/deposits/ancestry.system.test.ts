/** A deposit on an unconfirmed parent that is replaced, on a real node: bitcoind takes both out of its pool. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { describeWithBitcoind, useBitcoind } from '../../../../test/setup/nodes.ts'
import { spend, takeCoin } from '../../../../test/world/bitcoin-transaction.ts'
import { scriptTo } from '../../../../test/world/bitcoin-node.ts'
import type { CoinChainAdapter } from '../../adapters/chains/port.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { openBitcoinMoney } from '../../../../test/world/bitcoin-money.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { createAncestryJob } from './index.ts'

describeWithBitcoind('deposits on unconfirmed parents', () => {
  const node = useBitcoind()
  const database = useDatabase({ template: migrated })

  test('audit D-B6, row B-24: a deposit whose unconfirmed parent is replaced has failed once the replacement is final', async () => {
    const { chain, address, catchUp, mine, db, close } = await openBitcoinMoney(await node(), database.url)
    onTestFinished(close)
    await mine(1)
    const { rpc } = chain.node
    const to = await address()
    const middle = await chain.faucet<string>('getnewaddress')
    const coin = await takeCoin(chain.faucet)
    const parent = await spend(chain.faucet, coin, [{ script: scriptTo(middle), units: 1_000_000n }], 2_000n)
    await rpc('sendrawtransaction', parent.raw)
    const outputs = (
      await rpc<{ vout: { n: number; scriptPubKey: { address: string } }[] }>('getrawtransaction', parent.hash, 1)
    ).vout
    const vout = Number(outputs.find(({ scriptPubKey }) => scriptPubKey.address === middle)!.n)
    const raw = await rpc<string>('createrawtransaction', [{ txid: parent.hash, vout }], [{ [to]: '0.00990000' }])
    const { hex } = await chain.faucet<{ hex: string }>('signrawtransactionwithwallet', raw)
    const deposit = await rpc<string>('sendrawtransaction', hex)
    await catchUp()
    const adapter = chain.adapter as CoinChainAdapter
    expect(await adapter.ancestorsOf(deposit)).toEqual([
      { transaction: parent.hash, keys: [`${coin.txid}:${coin.vout}`] },
      { transaction: deposit, keys: [`${parent.hash}:${vout}`] },
    ])
    expect(await adapter.ancestorsOf('ab'.repeat(32))).toBeNull()
    const runtime = {
      db,
      clock: createClock(Date.now),
      newId: () => uuidv7(Date.now(), randomBytes(10)),
      log: pino({ enabled: false }),
    }
    await createAncestryJob(runtime, adapter, 1).run(new AbortController().signal)
    const conflict = await spend(chain.faucet, coin, [{ script: scriptTo(middle), units: 1_000_000n }], 30_000n)
    await rpc('sendrawtransaction', conflict.raw)
    await mine(8)
    const { rows } = await sql<{
      state: string
      told: string
      failReason: string | null
    }>`select state, told, fail_reason as "failReason" from deposits`.execute(db)
    expect(rows).toEqual([{ state: 'failed', told: 'Failed', failReason: 'TRANSACTION_REPLACED' }])
  })
})
