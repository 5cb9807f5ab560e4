/** The planners of Bitcoin and TRON hold a withdrawal that equals a lost payment; Ethereum's is in `app/cli`. */
import { randomBytes, randomUUID } from 'node:crypto'
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { catalogue, createPayoutWorld } from '../../../../test/world/payouts.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { decideRepeat, listRepeats, recordLost, type LostPayment } from './index.ts'
import { findById } from './store.ts'
import { openTronPayouts } from './test-tron.ts'

const database = useDatabase({ template: migrated })

const lose = (runtime: Runtime, lost: Pick<LostPayment, 'network' | 'ticker' | 'to' | 'chainUnits'>): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    const { at } = momentOf(runtime)
    const hash = randomBytes(32).toString('hex')
    const payment = { ...lost, intentId: randomUUID(), hash, conflictKeys: [], logLine: 1, signedAt: at }
    await recordLost(tx, [payment], at)
  })

test('C10 on TRON a withdrawal that equals a lost payment is held until an operator decides', async () => {
  const world = await openTronPayouts(database.url)
  onTestFinished(() => world.close())
  const { request, work, state } = world
  const to = addressOfEvmForm(randomBytes(20).toString('hex'))
  await lose(world.runtime, { network: 'TRON', ticker: 'USDT', to, chainUnits: 7_000_000n })
  world.later(1_000)
  const ids = [await request('USDT', to, 7_000_000n), await request('USDT', to, 7_000_001n)]
  await work()
  expect(await Promise.all(ids.map(state))).toEqual(['requested', 'sent'])
  expect(await listRepeats(world.db)).toMatchObject([{ withdrawalId: ids[0], chainUnits: 7_000_000n }])
})

test('C10 on Bitcoin a withdrawal that equals a lost payment is held, and paid when it is another payment', async () => {
  const world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
  onTestFinished(() => world.close())
  await world.coins(2, 5_000_000n)
  const other = await world.request(1_000_001n)
  const { to } = (await findById(world.db, world.merchantId, other))!
  await lose(world.runtime, { network: 'BITCOIN', ticker: 'BTC', to, chainUnits: 1_000_000n })
  const equal = await world.request(1_000_000n)
  await world.work()
  expect([await world.stateOf(equal), await world.stateOf(other)]).toEqual(['requested', 'sent'])
  const attach = () => Promise.reject(new Error('nothing to attach'))
  await decideRepeat({ runtime: world.runtime, catalogue, signer: world.signer, attach }, equal, 'new', 'operator')
  await world.work(2)
  expect(await world.stateOf(equal)).toBe('sent')
})
