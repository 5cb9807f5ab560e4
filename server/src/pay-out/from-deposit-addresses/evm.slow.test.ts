/**
 * Withdrawals paid from deposit addresses on anvil: when it saves a sweep, when the hot wallet is short, and never
 * beside one.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { useAnvil } from '../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps } from '../../../../test/world/evm-sweeps.ts'
import { runAll } from '../../../../test/world/network.ts'
import { EVM_HOT as HOT } from '../../../../test/world/wallet.ts'
import { expectedPrice } from '../../treasury/sweeps/index.ts'

const database = useDatabase({ template: migrated })
const startNode = useAnvil()
const GWEI = 10n ** 9n
const E18 = 10n ** 18n

const open = async (): Promise<EvmSweeps> =>
  openEvmSweeps(database.url, { node: await startNode(), paysFromDeposits: true })

/** The rest that stays behind: enough to pay three times the fee, not enough for a sweep. */
const little = async ({ adapter }: EvmSweeps): Promise<bigint> => {
  const rate = await adapter.feeRate()
  return 300_000n * expectedPrice(rate as Extract<typeof rate, { kind: 'gas' }>)
}

const senders = async (world: EvmSweeps): Promise<string[]> =>
  (await world.sent()).filter(({ purpose }) => purpose === 'payout').map(({ senders: [from] }) => from!)

test('a payment that leaves next to nothing is made by the deposit address itself; books and chain agree at both', async () => {
  const world = await open()
  const { address } = await world.address()
  await world.pay('ETH', address, '0.5')
  await world.mine(4)
  const to = await world.chain.newAddress()
  const [merchantId, units] = [randomUUID(), E18 / 2n - (await little(world))]
  const id = await world.request('ETH', to, units, merchantId)
  await world.plan()
  expect(await senders(world)).toEqual([address])
  await world.settle()
  expect(await world.withdrawal(id)).toBe('settled')
  expect(await world.onChain(to, 'ETH')).toBe(units)
  expect(await world.rows(), 'what is left is not worth a sweep').toEqual([])
  expect(await world.differences()).toEqual([])
  const fee = (await world.sent())[0]!.fee!
  expect(await world.balance(merchantId, 'ETH', 'network-costs')).toBe(-fee)
  expect(await world.onChain(address, 'ETH')).toBe(E18 / 2n - units - fee)
})

test('the hot wallet pays if the rest is worth a sweep, the deposit is not final, or no coin is left for more gas', async () => {
  const world = await open()
  const owners = await Promise.all(Array.from({ length: 3 }, () => world.address()))
  await world.pay('ETH', owners[0]!.address, '0.9')
  await world.pay('ETH', owners[1]!.address, '0.5')
  await world.mine(4)
  await world.pay('ETH', owners[2]!.address, '0.3')
  await world.mine(1)
  for (const units of [E18 / 2n, (3n * E18) / 10n - (await little(world)), E18 / 2n - 21_000n * GWEI])
    await world.request('ETH', await world.chain.newAddress(), units)
  await world.plan()
  expect(await senders(world)).toEqual([HOT, HOT, HOT])
})

test('when the hot wallet has too little, a deposit address pays though a sweep would follow', async () => {
  const world = await open()
  const { address } = await world.address()
  await world.pay('ETH', address, '9')
  await world.mine(4)
  const to = await world.chain.newAddress()
  const id = await world.request('ETH', to, 6n * E18)
  await world.plan()
  expect(await senders(world)).toEqual([address])
  expect(await world.alerts()).toEqual([])
  await world.settle()
  expect(await world.withdrawal(id)).toBe('settled')
  expect(
    (await world.rows()).map(({ state }) => state),
    'the rest is swept afterwards',
  ).toEqual(['final'])
  expect(await world.differences()).toEqual([])
})

test('a token is paid by an address that has coin for its gas, and else by the hot wallet', async () => {
  const world = await open()
  const [rich, poor] = [await world.address(), await world.address()]
  await world.pay('USDT', rich.address, '100')
  await world.pay('ETH', rich.address, '0.01')
  await world.pay('USDT', poor.address, '90')
  await world.pay('USDT', HOT, '500')
  await world.mine(4)
  const [first, second] = [await world.chain.newAddress(), await world.chain.newAddress()]
  await world.request('USDT', first, 100_000_000n)
  await world.plan()
  await world.request('USDT', second, 90_000_000n)
  await world.plan()
  expect(await senders(world)).toEqual([rich.address, HOT])
  await world.settle()
  expect(await world.onChain(first, 'USDT')).toBe(100_000_000n)
  expect(await world.onChain(second, 'USDT')).toBe(90_000_000n)
  expect(await world.differences()).toEqual([])
})

test('an address does one thing at a time: neither is swept while it pays, nor pays while it is swept', async () => {
  const world = await open()
  const [paying, swept] = [await world.address(), await world.address()]
  await world.pay('ETH', paying.address, '3')
  await world.pay('ETH', swept.address, '4')
  await world.mine(4)
  await world.request('ETH', await world.chain.newAddress(), 3n * E18 - (await little(world)))
  await world.plan()
  await world.deployed()
  await world.work()
  expect((await world.rows()).map(({ address }) => address)).toEqual([swept.address])
  await world.request('ETH', await world.chain.newAddress(), 4n * E18 - (await little(world)))
  await world.plan()
  expect(await senders(world)).toEqual([paying.address, HOT])
  await world.settle()
  expect(await world.differences()).toEqual([])
})

test('two workers that look at the same address make one payment or one sweep of it', async () => {
  const world = await open()
  await world.deployed()
  for (let round = 0; round < 5; round += 1) {
    const { address } = await world.address()
    await world.pay('ETH', address, '1')
    await world.mine(4)
    await world.request('ETH', await world.chain.newAddress(), E18 - (await little(world)))
    await Promise.all([world.plan(), runAll(world.sweepJob()), world.plan()])
    const open = (await world.rows()).filter((row) => row.address === address).length
    const pays = (await senders(world)).filter((from) => from === address).length
    expect(open + pays).toBe(1)
    await world.settle()
  }
  expect(await world.differences()).toEqual([])
})

test('an address that has delegated does not pay: others could empty it first', async () => {
  const world = await open()
  const owners = await Promise.all(Array.from({ length: 8 }, () => world.address()))
  const { address } = owners[0]!
  for (const owner of owners) await world.pay('USDT', owner.address, '1000')
  await world.mine(4)
  await world.settle()
  expect(new Set((await world.rows()).map(({ way, state }) => `${way} ${state}`))).toEqual(new Set(['delegate final']))
  await world.pay('ETH', address, '1')
  await world.mine(4)
  await world.request('ETH', await world.chain.newAddress(), E18 - (await little(world)))
  await world.plan()
  expect(await senders(world)).toEqual([HOT])
})

test('E7 a stuck payment pays more for its gas and the same to its receiver', async () => {
  const world = await open()
  const { address } = await world.address()
  await world.pay('ETH', address, '0.5')
  await world.mine(4)
  const to = await world.chain.newAddress()
  const units = E18 / 2n - (await little(world))
  await world.request('ETH', to, units)
  await world.plan()
  await runAll(world.sendJob())
  world.later(61_000)
  for (let i = 0; i < 2; i += 1) await runAll(world.sendJob())
  const { rows } = await sql<{ n: number }>`select count(*) as n from outgoing_attempts where raw is not null`.execute(
    world.db,
  )
  expect(rows[0]!.n).toBe(2)
  await world.settle()
  expect(await world.onChain(to, 'ETH')).toBe(units)
  expect(await world.differences()).toEqual([])
})

test.each(['direct-chosen', 'before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded'])(
  'killed at %s it is paid once',
  async (point) => {
    const world = await open()
    const { address } = await world.address()
    await world.pay('ETH', address, '0.5')
    await world.mine(4)
    const to = await world.chain.newAddress()
    const units = E18 / 2n - (await little(world))
    await world.request('ETH', to, units)
    world.pauses.at = point
    await world.plan().catch(() => {})
    await runAll(world.sendJob()).catch(() => {})
    expect(world.pauses.hit).toBe(true)
    world.pauses.at = null
    world.later(60_000)
    await world.settle()
    expect(await world.onChain(to, 'ETH')).toBe(units)
    expect(await senders(world)).toHaveLength(1)
    expect(await world.differences()).toEqual([])
  },
)
