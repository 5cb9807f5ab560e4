/** A thief has the first seed of EVM chains, after `rotate --activate --stolen`. */
import { checksumAddress, COIN, encodeTransfer, sweepOne, toHex, type Hex } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { faucetAccount, sendAndMine } from '../../../../../sandbox/anvil/transactions.ts'
import { ethereum } from '../../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps, type SweepOptions } from '../../../../../test/world/evm-sweeps.ts'
import { steal } from '../../../../../test/world/evm-thief.ts'
import { runAll } from '../../../../../test/world/network.ts'
import { keyring, twoSeeds } from '../../../../../test/world/signer.ts'
import { EVM_HOT as OLD_HOT } from '../../../../../test/world/wallet.ts'
import type { KeyReference } from '../../../../../signer/src/protocol/protocol.ts'
import { createSupersededJob } from '../../../chain/transactions/index.ts'
import { PLATFORM } from '../../../ledger/postings/index.ts'
import {
  createBackingJob,
  createDeposits,
  DEFAULT_DEPOSIT_POLICY,
  undecidedDeposits,
} from '../../../pay-in/deposits/index.ts'
import { movedFrom } from '../../reconciliation/index.ts'

const database = useDatabase({ template: migrated })
const [anvil] = EVM_NODES.map(([, use]) => use())
const open = async (options: Partial<SweepOptions> = {}): Promise<EvmSweeps> =>
  openEvmSweeps(database.url, { spec: ethereum, node: await anvil!(), ...options })

const GWEI = 10n ** 9n
const stolen = { isFirstStolen: true } as const
const oldHotKey: KeyReference = { account: 'hot', branch: 0, index: 0 }
const coinUnit = ({ catalogue }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto('ETH')!.scale - 18)
const unit = ({ catalogue }: EvmSweeps): bigint => 10n ** BigInt(catalogue.findCrypto('USDT')!.scale - 6)

const keyOf = async ({ db }: EvmSweeps, address: string): Promise<KeyReference> => {
  const { rows } = await sql<{ index: number }>`select derivation_index as index from addresses
    where family = 'EVM' and address = ${address}`.execute(db)
  return { account: 'deposit', branch: 0, index: rows[0]!.index }
}

/** The thief uses the next nonce of an address by an authorisation (EIP-7702) in a transaction of another account. */
const useNonceByAuthorisation = async (world: EvmSweeps, key: KeyReference): Promise<void> => {
  const { node, chain } = world
  const sender = privateKeyToAccount(generatePrivateKey())
  await world.pay('ETH', checksumAddress(sender.address), '1')
  await world.mine(1)
  const chainId = Number(await node.rpc<string>('eth_chainId'))
  const victim = keyring.withEvmKey(key, (secret) => privateKeyToAccount(toHex(secret)))
  const nonce = Number(await node.rpc<string>('eth_getTransactionCount', victim.address, 'latest'))
  const authorization = await victim.signAuthorization({ contractAddress: sender.address, chainId, nonce })
  const raw = await sender.signTransaction({
    type: 'eip7702',
    chainId,
    nonce: 0,
    gas: 200_000n,
    maxFeePerGas: 100n * GWEI,
    maxPriorityFeePerGas: 90n * GWEI,
    to: sender.address,
    value: 0n,
    authorizationList: [authorization],
  })
  await node.rpc('eth_sendRawTransaction', raw)
  await chain.mine(1)
  expect(Number(await node.rpc<string>('eth_getTransactionCount', victim.address, 'latest'))).toBe(nonce + 1)
}

/** What is in the pool of ours leaves it, as when a dearer transaction of the same nonce comes before it. */
const outOfPool = async (world: EvmSweeps): Promise<number> => {
  const { rows } = await sql<{
    hash: string
  }>`select a.hash from outgoing o join outgoing_attempts a on a.outgoing_id = o.id
    where o.state = 'broadcast' and a.hash is not null`.execute(world.db)
  for (const { hash } of rows) await world.node.rpc('anvil_dropTransaction', hash)
  return rows.length
}

const settleFully = async (world: EvmSweeps, rounds = 4): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) {
    await world.settle()
    await runAll(createSupersededJob(world.sending, 0), 3)
    world.later(3_600_000)
  }
}

test.each([
  [
    'an ordinary transaction',
    async (world: EvmSweeps) =>
      steal(world, oldHotKey, { to: await world.chain.newAddress(), value: 1n, price: 100n * GWEI }),
  ],
  ['an authorisation', (world: EvmSweeps) => useNonceByAuthorisation(world, oldHotKey)],
])('the drain goes on when a thief has used its nonce by %s', async (_name, rival) => {
  const world = await open()
  await world.rotate(stolen)
  await world.pay('ETH', world.hot(), '5')
  await world.pay('USDT', OLD_HOT, '270')
  await world.mine(4)
  await world.work()
  expect(await outOfPool(world)).toBe(1)
  await rival(world)
  await world.mine(4)
  await settleFully(world)
  expect((await world.sent()).map(({ purpose, senders, state }) => [purpose, senders[0], state])).toEqual(
    expect.not.arrayContaining([['rebalance', OLD_HOT, 'broadcast']]),
  )
  expect(await world.onChain(OLD_HOT, 'USDT')).toBe(0n)
})

test.each([
  [
    'an ordinary transaction',
    async (world: EvmSweeps) =>
      steal(world, oldHotKey, { to: await world.chain.newAddress(), value: 1n, price: 100n * GWEI }),
  ],
  ['an authorisation', (world: EvmSweeps) => useNonceByAuthorisation(world, oldHotKey)],
])('a withdrawal of before the rotation is paid when a thief has used its nonce by %s', async (_name, rival) => {
  const world = await open()
  await world.pay('USDT', OLD_HOT, '270')
  await world.mine(4)
  const id = await world.request('USDT', await world.chain.newAddress(), 100_000_000n * unit(world))
  await world.plan()
  await world.sendJob().run(new AbortController().signal)
  await world.rotate(stolen)
  await world.pay('ETH', world.hot(), '5')
  await world.pay('USDT', world.hot(), '500')
  expect(await outOfPool(world)).toBe(1)
  await rival(world)
  await world.mine(4)
  await settleFully(world)
  expect(await world.withdrawal(id)).toBe('settled')
})

test('an address that holds its money is swept although a thief has emptied dearer ones', async () => {
  const world = await open({ policy: { batch: 1 } })
  const [first, second, third] = await Promise.all([world.address(), world.address(), world.address()])
  await world.rotate(stolen)
  await world.pay('ETH', world.hot(), '5')
  for (const [{ address }, amount] of [
    [first!, '900'],
    [second!, '800'],
    [third!, '300'],
  ] as const)
    await world.pay('USDT', address, amount)
  await world.mine(1)
  for (const { address } of [first!, second!]) {
    await world.node.rpc(
      'anvil_setBalance',
      address,
      toHex(Buffer.from((10n ** 16n).toString(16).padStart(16, '0'), 'hex')),
    )
    const amount = await world.onChain(address, 'USDT')
    const data = encodeTransfer(checksumAddress(await world.chain.newAddress()), amount)
    await steal(world, await keyOf(world, address), { to: world.tokens['USDT']!.contract, data })
  }
  await world.mine(4)
  await settleFully(world)
  expect(await world.onChain(third!.address, 'USDT')).toBe(0n)
})

test('coin that anyone has an old address sweep to the old treasury goes to suspense', async () => {
  const world = await open()
  const [address] = (await world.holding(3)) as [string]
  await world.settle()
  expect(await world.states()).toEqual({ 'delegate final': 3 })
  await world.pay('ETH', address, '1')
  await world.mine(4)
  expect(await world.differences()).toEqual([])
  await world.rotate(stolen)
  await world.pay('ETH', world.hot(), '5')
  await world.mine(4)
  const capital = await world.balance(PLATFORM, 'ETH', 'capital')
  const call = { from: faucetAccount, to: address as Hex, data: sweepOne.encode([COIN]), gas: 200_000n }
  await sendAndMine(world.node.rpc, call)
  await world.mine(4)
  expect(await world.balance(PLATFORM, 'ETH', 'suspense')).toBe(10n ** 18n * coinUnit(world))
  expect(await world.balance(PLATFORM, 'ETH', 'capital'), 'it is not the owner’s').toBe(capital)
  const different = await world.differences()
  expect(different.filter((line) => line.includes(OLD_HOT))).toEqual([])
  expect(different.filter((line) => line.includes(address))).toHaveLength(1)
})

test.each([
  ['refuses', false, 'Failed'],
  ['credits', true, 'Done'],
])(
  'a deposit of coin by a contract, which a thief takes, ends when the operator %s it',
  async (_name, isCredited, told) => {
    const world = await open()
    const { address } = await world.address()
    await world.rotate(stolen)
    const forwarder = await world.chain.newAddress()
    await world.node.rpc(
      'anvil_setCode',
      forwarder,
      `0x600060006000600034` + `73${address.slice(2).toLowerCase()}5af100`,
    )
    await sendAndMine(world.node.rpc, {
      from: faucetAccount,
      to: forwarder as Hex,
      data: '0x',
      value: 10n ** 18n,
      gas: 200_000n,
    } as never)
    await steal(world, await keyOf(world, address), { to: await world.chain.newAddress(), value: 9n * 10n ** 17n })
    await world.mine(4)
    const deposits = createDeposits({
      catalogue: world.catalogue,
      policy: DEFAULT_DEPOSIT_POLICY,
      prices: async () => new Map(),
      onCredited: [],
      depositSubscribers: [],
    })
    const { runtime, catalogue, adapter } = world
    const backing = createBackingJob({ runtime, catalogue, network: 'ETHEREUM', adapter, deposits, everyMs: 0 })
    await runAll(backing, 2)
    const waiting = await undecidedDeposits(world.db, 10)
    expect(waiting.map((one) => one.address)).toEqual([address])
    expect(await world.decide([waiting[0]!.id], isCredited)).toBe(true)
    await world.mine(4)
    await runAll(backing, 2)
    const { rows } = await sql`select state, told, fail_reason from deposits where id = ${waiting[0]!.id}`.execute(
      world.db,
    )
    expect(rows).toEqual([expect.objectContaining({ told })])
  },
)

test('no gas is sent to an old address whose code burns it, and the second seed pays', async () => {
  const world = await open()
  const owners = await Promise.all(Array.from({ length: 12 }, () => world.address()))
  await world.rotate(stolen)
  // The limits of the examples in signer/README.md and docs/operating/sweeps.md.
  const [cap, hour, day] = ['20000000000000000', '500000000000000000', '2000000000000000000']
  await world.restartSigner(twoSeeds, {
    fee: { maxUnits: cap, maxPerHour: hour, maxPerDay: day },
    sweep: { enabled: true, maxFee: '200000000000000000', maxTopUp: '10000000000000000', treasury: world.hot() },
  })
  await world.pay('ETH', world.hot(), '5')
  await world.pay('USDT', world.hot(), '100')
  const burner = await world.chain.newAddress()
  const turns = (900_000).toString(16).padStart(6, '0')
  await world.node.rpc('anvil_setCode', burner, `0x62${turns}5b600190038060045700`)
  for (const { address } of owners) {
    await world.pay('USDT', address, '300')
    await world.node.rpc('anvil_setCode', address, `0xef0100${burner.slice(2).toLowerCase()}`)
  }
  await world.mine(4)
  for (let round = 0; round < 3; round += 1) {
    await world.pay('ETH', OLD_HOT, '0.5')
    await world.mine(1)
    await world.work()
    await world.mine(4)
  }
  const id = await world.request('USDT', await world.chain.newAddress(), 50_000_000n * unit(world))
  await world.settle()
  expect(await world.alerts()).not.toContain('signer-velocity')
  expect((await world.sent()).filter(({ purpose }) => purpose === 'gas')).toEqual([])
  expect(await world.withdrawal(id)).toBe('settled')
})

test('money that the old hot address held before counts for no deposit, and a deposit counts when it has moved', async () => {
  const world = await open()
  const [taken, moved] = [await world.address(), await world.address()]
  await world.pay('USDT', OLD_HOT, '500')
  await world.rotate(stolen)
  await world.pay('ETH', world.hot(), '5')
  for (const { address } of [taken, moved]) await world.pay('USDT', address, '300')
  await world.mine(1)
  await world.node.rpc('anvil_setBalance', taken.address, `0x${(10n ** 16n).toString(16)}`)
  const data = encodeTransfer(checksumAddress(await world.chain.newAddress()), 300_000_000n)
  await steal(world, await keyOf(world, taken.address), { to: world.tokens['USDT']!.contract, data })
  await world.mine(4)
  await settleFully(world, 1)
  const places = (await undecidedDeposits(world.db, 10)).map(({ network, asset, address }) => ({
    network,
    asset,
    address,
  }))
  expect(places).toHaveLength(2)
  expect([...(await movedFrom(world.db, places))]).toEqual([
    [`ETHEREUM/USDT/${moved.address}`, 300_000_000n * unit(world)],
  ])
})
