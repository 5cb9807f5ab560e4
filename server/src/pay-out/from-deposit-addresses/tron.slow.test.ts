/**
 * Withdrawals on TRON paid from deposit addresses: by the bytes they have free each day, and never beside a sweep,
 * twice or too late.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { tronCatalogue as catalogue, SOLID, TRON_USDT as USDT } from '../../../../test/world/tron.ts'
import { TRON_HOT as HOT } from '../../../../test/world/wallet.ts'
import { Killed, openTronSweeps, type TronSweeps } from '../../../../test/world/tron-sweeps.ts'
import { positionsOf } from '../../treasury/reconciliation/index.ts'

const database = useDatabase({ template: migrated })
const MINUTE = 60_000
const TRX = 1_000_000n
let world: TronSweeps

/** The receiver is an account already. */
const someone = async (): Promise<string> => {
  const to = addressOfEvmForm(randomBytes(20).toString('hex'))
  await world.pay('TRX', to, '1')
  await world.mine(1)
  return to
}

/** The hot wallet has sent what it may send for nothing today. */
const open = async (given: Parameters<typeof openTronSweeps>[1] = {}, busy = 2): Promise<TronSweeps> => {
  world = await openTronSweeps(database.url, given)
  onTestFinished(() => world.close())
  for (let sent = 0; sent < busy; sent += 1) {
    await world.request('TRX', await someone(), TRX)
    await world.settle()
  }
  expect(await world.payers()).toEqual(Array.from({ length: busy }, () => HOT))
  return world
}
const deposit = async (ticker: string, amount: string): Promise<{ address: string; merchantId: string }> => {
  const owner = await world.address()
  await world.pay(ticker, owner.address, amount)
  await world.mine(SOLID)
  return owner
}
const last = async (): Promise<string | undefined> => (await world.payers()).at(-1)

test('a deposit address pays TRX free of charge when the hot wallet would burn TRX; the rest is swept free of charge', async () => {
  const { request, plan, settle, onChain, costOf, differences, withdrawal, db, sweeps, burnt } = await open()
  const { address, merchantId } = await deposit('TRX', '50')
  const [to, payer] = [await someone(), randomUUID()]
  const before = (await positionsOf(db, catalogue, 'TRON')).find(({ ticker }) => ticker === 'TRX')!
  const id = await request('TRX', to, 20n * TRX, payer)
  await plan()
  expect(await last()).toBe(address)
  const after = (await positionsOf(db, catalogue, 'TRON')).find(({ ticker }) => ticker === 'TRX')!
  expect([after.leaving, after.hot], 'nothing of it leaves the hot wallet').toEqual([0n, before.hot])
  await settle()
  expect(await withdrawal(id)).toBe('settled')
  expect(await onChain(to, null)).toBe(21n * TRX)
  expect([await costOf(payer), await costOf(merchantId), (await burnt()).payout]).toEqual([0n, 0n, 0n])
  expect((await sweeps()).map(({ way, state }) => `${way} ${state}`)).toEqual(['own final'])
  expect(await onChain(address, null)).toBe(0n)
  expect(await differences()).toEqual([])
})

test('while the hot wallet pays for nothing, or a payment costs the same from anywhere, the hot wallet pays', async () => {
  const { request, plan } = await open({}, 0)
  await deposit('TRX', '50')
  await request('TRX', await someone(), 20n * TRX)
  await plan()
  expect(await last()).toBe(HOT)
  await world.settle()
  await world.request('TRX', await someone(), TRX)
  await world.settle()
  await deposit('TRX', '60')
  // A payment that activates its receiver burns as much from either address.
  await request('TRX', addressOfEvmForm(randomBytes(20).toString('hex')), 20n * TRX)
  await plan()
  expect(await last()).toBe(HOT)
})

test('the hot wallet pays if the deposit is not final, or no TRX would be left to burn without the free bytes', async () => {
  const { request, plan, mine, address, pay } = await open()
  await deposit('TRX', '20')
  const young = await address()
  await pay('TRX', young.address, '100')
  await mine(1)
  const to = await someone()
  await request('TRX', to, 20n * TRX)
  await plan()
  expect(await last()).toBe(HOT)
  await world.mine(SOLID)
  await request('TRX', to, 20n * TRX)
  await plan()
  expect(await last()).toBe(young.address)
})

test('when the hot wallet has too little, a deposit address pays, without an alert', async () => {
  const { request, plan, settle, withdrawal, alerts, differences } = await open({ trx: '40' }, 0)
  const { address } = await deposit('TRX', '500')
  const id = await request('TRX', await someone(), 300n * TRX)
  await plan()
  expect([await last(), await alerts()]).toEqual([address, []])
  await settle()
  expect(await withdrawal(id)).toBe('settled')
  await request('TRX', await someone(), 900n * TRX)
  await plan()
  expect(await alerts()).toEqual(['hot-wallet-short'])
  expect(await differences()).toEqual([])
})

test('a token is paid by an address with TRX to burn, and by the hot wallet if it has none or was lent energy', async () => {
  const { request, plan, settle, onChain, differences } = await open()
  await world.pay('USDT', HOT, '500')
  const rich = await deposit('USDT', '100')
  await world.pay('TRX', rich.address, '30')
  await world.mine(SOLID)
  const first = await someone()
  await request('USDT', first, 60n * TRX)
  await plan()
  expect(await last()).toBe(rich.address)
  await settle()
  const poor = await deposit('USDT', '90')
  const second = await someone()
  await request('USDT', second, 80n * TRX)
  await plan()
  expect(await last()).toBe(HOT)
  await settle()
  expect([await onChain(first, USDT), await onChain(second, USDT), await onChain(poor.address, USDT)]).toEqual([
    60n * TRX,
    80n * TRX,
    0n,
  ])
  expect(await differences()).toEqual([])
})

test('an address that energy was lent to does not pay before the energy is back', async () => {
  const { request, plan, db, runtime } = await open()
  const { address, merchantId } = await deposit('TRX', '50')
  const { at, newId } = momentOf(runtime)
  // Raw: a loan whose worker died before it asked for it.
  await sql`insert into tron_loans(id, address, merchant_id, derivation_index, stake, lend_id, created_at)
    select ${newId()}, ${address}, ${merchantId}, 1, 1, id, ${at} from outgoing limit 1`.execute(db)
  const to = await someone()
  await request('TRX', to, 5n * TRX)
  await plan()
  expect(await last()).toBe(HOT)
  await sql`update tron_loans set closed_at = ${at}`.execute(db)
  await request('TRX', to, 5n * TRX)
  await plan()
  expect(await last()).toBe(address)
})

test('two workers at once make one payment or one sweep of an address', async () => {
  const { request, prices, payoutJob, job, payers, sweeps, settle, differences } = await open()
  const { signal } = new AbortController()
  for (let round = 0; round < 4; round += 1) {
    const { address } = await deposit('TRX', '30')
    await request('TRX', await someone(), 10n * TRX)
    await prices()
    await Promise.all([payoutJob().run(signal), job().run(signal), payoutJob().run(signal)])
    const begun = (await sweeps()).filter((row) => row.address === address).length
    const pays = (await payers()).filter((from) => from === address).length
    expect(begun + pays).toBe(1)
    await settle()
  }
  expect(await differences()).toEqual([])
})

test.each([
  [
    'T3 what expires unmined is made anew from the same address, once its death is proven and the signer allows it',
    null,
  ],
  ['T3 killed at renewal-planned, it is made anew once', 'renewal-planned'],
])('%s', async (_title, point) => {
  const { chain, request, plan, send, passTime, mine, onChain, payers, outgoing, differences, settle } = await open()
  const { address } = await deposit('TRX', '50')
  const to = await someone()
  await request('TRX', to, 20n * TRX)
  await plan()
  await send()
  await chain.hold(true)
  await chain.forget(chain.status().pending)
  await passTime(11 * MINUTE)
  await mine(SOLID)
  await world.work()
  expect((await outgoing('payout')).at(-1)).toMatchObject({ attempts: 1, state: 'broadcast' })
  expect(await world.sweeps(), 'nothing else happens to the address meanwhile').toEqual([])
  await passTime(10 * MINUTE)
  await mine(SOLID)
  await chain.hold(false)
  if (point !== null) {
    world.killAt(point)
    await send().catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
    expect(world.isArmed()).toBe(false)
    world.restart()
    await passTime(MINUTE)
  }
  await settle()
  expect((await outgoing('payout')).at(-1)).toMatchObject({ attempts: 2, state: 'final' })
  expect(await onChain(to, null)).toBe(21n * TRX)
  expect((await payers()).filter((from) => from === address)).toHaveLength(1)
  expect(await differences()).toEqual([])
})

test('T4 a fork takes the payment back: the same bytes are mined again, and the rest is swept', async () => {
  const { chain, request, plan, send, mine, onChain, outgoing, differences, settle } = await open()
  await deposit('TRX', '50')
  const to = await someone()
  await request('TRX', to, 20n * TRX)
  await plan()
  await send()
  await mine(2)
  const [mined] = (await outgoing('payout')).slice(-1)
  expect(mined!.state).toBe('mined')
  await chain.reorg({ depth: 2, without: [], others: 'forgotten' })
  await mine(1)
  expect((await outgoing('payout')).at(-1)!.state).toBe('broadcast')
  await settle()
  expect((await outgoing('payout')).at(-1)).toMatchObject({ hash: mined!.hash, attempts: 1, state: 'final' })
  expect(await onChain(to, null)).toBe(21n * TRX)
  expect(await differences()).toEqual([])
})

test.each(['direct-chosen', 'before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded'])(
  'killed at %s it is paid once',
  async (point) => {
    const { request, plan, send, killAt, isArmed, restart, passTime, settle, onChain, payers, differences } =
      await open()
    const { address } = await deposit('TRX', '50')
    const to = await someone()
    await request('TRX', to, 20n * TRX)
    killAt(point)
    const dying = async (): Promise<void> => {
      await plan()
      await send()
    }
    await dying().catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
    expect(isArmed()).toBe(false)
    restart()
    // The claims of the dead process are free again when its lease is over.
    await passTime(MINUTE)
    await settle()
    expect(await onChain(to, null)).toBe(21n * TRX)
    expect((await payers()).filter((from) => from === address)).toHaveLength(1)
    expect(await differences()).toEqual([])
  },
)

test('an address of which nothing can be learnt keeps no withdrawal waiting: the hot wallet pays', async () => {
  const { request, plan, adapter, settle, onChain } = await open()
  await deposit('TRX', '50')
  const to = await someone()
  await request('TRX', to, 20n * TRX)
  const { isActivated } = adapter
  adapter.isActivated = () => Promise.reject(new Error('no answer'))
  await plan()
  adapter.isActivated = isActivated
  expect(await last()).toBe(HOT)
  await settle()
  expect(await onChain(to, null)).toBe(21n * TRX)
})
