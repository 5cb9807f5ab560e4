/** Refusals of a chain, the costs of sending, and the end of a transaction that is never mined. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRefused } from '@bursar/chainkit'
import {
  encodeTokenTransfer,
  evmFormOf,
  parseSigned,
  serializeSigned,
  transactionId,
  type Contract,
  type UnsignedTransaction,
} from '@bursar/chainkit/tron'
import { utils } from 'tronweb'
import { sign } from 'viem/accounts'
import { startTronChain, type TronChain } from '../../../../../sandbox/tron/index.ts'
import { blockOf } from '../conformance/reading.ts'
import { startProxy } from '../test-proxy.ts'
import {
  adapterOf,
  FAUCET,
  FAUCET_KEY,
  openTronWorld,
  SOLID_LAG,
  type TronWorld,
} from '../../../../../test/world/tron-node.ts'

let chain: TronChain
let world: TronWorld
beforeAll(async () => {
  chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  world = await openTronWorld(chain)
})
afterAll(() => chain.stop())

const saying = (code: string): unknown => expect.stringContaining(code)

/** A new account with TRX. */
const makeAccount = async (sun: bigint): Promise<{ address: string; key: string }> => {
  const { privateKey, address } = utils.accounts.generateAccount()
  if (sun > 0n) {
    await world.pay(address.base58, sun)
    await world.mine(1)
  }
  return { address: address.base58, key: privateKey }
}

const feeOf = async (hash: string): Promise<bigint> => {
  const status = await world.adapter.statusOf(hash)
  if (status.kind !== 'mined') throw new Error(`${hash} is ${status.kind}`)
  return status.fee
}

/** The same transaction with something else in it. The signature stays, unless it is to be another's. */
const altered = async (more: Partial<UnsignedTransaction>, key?: string): Promise<string> => {
  const { raw } = await world.payment(await world.newAddress(), 1_000n)
  const parsed = parseSigned(Buffer.from(raw, 'hex'))
  if (isRefused(parsed)) throw new Error(parsed.message)
  const transaction = { ...parsed.transaction, ...more }
  const signature = key === undefined ? parsed.signature : await signatureOf(transactionId(transaction), key)
  return Buffer.from(serializeSigned(transaction, signature)).toString('hex')
}

const signatureOf = async (hash: string, key: string): Promise<Uint8Array> =>
  sign({ hash: `0x${hash}`, privateKey: `0x${key}`, to: 'bytes' })

describe('transactions that the chain refuses', () => {
  test('a changed transaction, another block, one that has expired', async () => {
    const { adapter } = world
    const { time } = await adapter.reference()
    expect(await adapter.broadcast(await altered({ timestamp: 5 }))).toMatchObject({
      kind: 'refused',
      reason: 'invalid',
      message: saying('SIGERROR'),
    })
    expect(await adapter.broadcast(await altered({ refBlockHash: '00'.repeat(8) }, FAUCET_KEY))).toMatchObject({
      reason: 'expired',
      message: saying('TAPOS_ERROR'),
    })
    expect(await adapter.broadcast(await altered({ expiration: time - 1 }, FAUCET_KEY))).toMatchObject({
      reason: 'expired',
      message: saying('TRANSACTION_EXPIRATION_ERROR'),
    })
    expect(await adapter.broadcast(await altered({ expiration: time + 25 * 3_600_000 }, FAUCET_KEY))).toMatchObject({
      reason: 'expired',
    })
  })

  test('more than the balance of the account, or an account that does not exist', async () => {
    const { adapter, newAddress } = world
    const [poor, empty] = [await makeAccount(2_000_000n), await makeAccount(0n)]
    const to = await newAddress()
    const pays = (owner: string, amount: bigint): Partial<UnsignedTransaction> => ({
      contract: { kind: 'TransferContract', owner, to, amount },
    })
    const tooMuch = await altered(pays(poor.address, 2_000_001n), poor.key)
    expect(await adapter.broadcast(tooMuch)).toMatchObject({ kind: 'refused', reason: 'insufficient-funds' })
    expect(await adapter.broadcast(await altered(pays(empty.address, 1n), empty.key))).toMatchObject({
      kind: 'refused',
      reason: 'insufficient-funds',
    })
    // A refusal is of now: with money on the account the same bytes are taken.
    await world.pay(poor.address, 9_000_000n)
    await world.mine(1)
    expect(await adapter.broadcast(tooMuch)).toEqual({ kind: 'accepted' })
    await world.mine(1)
    expect(await feeOf(parsedHash(tooMuch))).toBe(1_100_000n)
  })

  test('a lost answer leaves it unknown; handed over again it is accepted, in the pool, in a block and expired', async () => {
    const proxy = await startProxy(chain.url)
    const adapter = adapterOf(proxy.url)
    const { raw, hash } = await world.payment(await world.newAddress(), 1_000n)
    proxy.behave = ({ method }) => (method === 'wallet/broadcasthex' ? 'lose' : 'pass')
    await expect(adapter.broadcast(raw)).rejects.toThrow(/TRON: wallet_broadcasthex: no answer/)
    proxy.behave = () => 'pass'
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await world.mine(1)
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await chain.advance(600_000)
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    expect((await adapter.statusOf(hash)).kind).toBe('mined')
    await proxy.close()
  })
})

const parsedHash = (raw: string): string => {
  const parsed = parseSigned(Buffer.from(raw, 'hex'))
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed.hash
}

describe('a transaction that is never mined', () => {
  test('is proven dead once the solidified chain is past its expiration, and not a block sooner', async () => {
    const { adapter, newAddress, payment, mine } = world
    const { raw, hash } = await payment(await newAddress(), 1_000n)
    const { expiration } = (parseSigned(Buffer.from(raw, 'hex')) as { transaction: UnsignedTransaction }).transaction
    await chain.hold(true)
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    expect(await adapter.isProvenDead(hash, expiration)).toBe(false)
    await chain.advance(expiration - chain.status().timestamp + 3_000)
    // The head is past it, what is solid is not: a fork could still hold it.
    expect(chain.status().timestamp).toBeGreaterThan(expiration)
    expect(await adapter.isProvenDead(hash, expiration)).toBe(false)
    await mine(SOLID_LAG - 1)
    expect(await adapter.isProvenDead(hash, expiration)).toBe(false)
    await mine(1)
    expect(await adapter.isProvenDead(hash, expiration)).toBe(true)
    await chain.hold(false)
    await mine(2)
    expect(await adapter.statusOf(hash)).toEqual({ kind: 'unknown' })
    expect(await adapter.broadcast(raw)).toMatchObject({ kind: 'refused', reason: 'expired' })
  })

  test('that was mined at the last moment is never proven dead', async () => {
    const { adapter, newAddress, payment, mine } = world
    const { raw, hash } = await payment(await newAddress(), 1_000n)
    const { expiration } = (parseSigned(Buffer.from(raw, 'hex')) as { transaction: UnsignedTransaction }).transaction
    await adapter.broadcast(raw)
    await mine(1)
    await chain.advance(expiration - chain.status().timestamp + 3_000)
    await mine(SOLID_LAG + 1)
    expect(await adapter.isProvenDead(hash, expiration)).toBe(false)
    expect((await adapter.statusOf(hash)).kind).toBe('mined')
  })
})

describe('costs are estimated to the sun', () => {
  const transfer = (owner: string, to: string, units: bigint): Contract => ({
    kind: 'TriggerSmartContract',
    owner,
    contract: world.contracts.token,
    callValue: 0n,
    data: encodeTokenTransfer(to, units),
  })
  /** Estimates, does it, and says both. The fee limit is as long on the wire as the longest, which is estimated for. */
  const estimatedAndPaid = async (contract: Contract, key: string): Promise<{ estimated: bigint; paid: bigint }> => {
    const estimate = await world.adapter.estimateCost(contract)
    if (!estimate.ok) throw new Error(estimate.message)
    const reference = await world.adapter.reference()
    const { time: _, ...block } = reference
    const raw = await altered(
      { ...block, contract, feeLimit: contract.kind === 'TriggerSmartContract' ? 5_000_000_000n : 0n },
      key,
    )
    expect(await world.adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await world.mine(1)
    return { estimated: estimate.burn.total, paid: await feeOf(parsedHash(raw)) }
  }

  test('TRX to a new account, to a known account, with and without free bandwidth', async () => {
    const { address, key } = await makeAccount(100_000_000n)
    const fresh = await world.newAddress()
    const pays = (to: string): Contract => ({ kind: 'TransferContract', owner: address, to, amount: 1_000_000n })
    expect(await world.adapter.isActivated(fresh)).toBe(false)
    expect(await estimatedAndPaid(pays(fresh), key)).toEqual({ estimated: 1_100_000n, paid: 1_100_000n })
    expect(await world.adapter.isActivated(fresh)).toBe(true)
    expect(await estimatedAndPaid(pays(fresh), key)).toEqual({ estimated: 0n, paid: 0n })
    expect(await estimatedAndPaid(pays(fresh), key)).toEqual({ estimated: 0n, paid: 0n })
    expect(await estimatedAndPaid(pays(fresh), key)).toEqual({ estimated: 267_000n, paid: 267_000n })
  })

  test('a token costs more to an address without a balance of it than to one with a balance', async () => {
    const { address, key } = await makeAccount(1_000_000_000n)
    await world.call('TestToken', world.contracts.token, 'mint', [evmFormOf(address), 10n ** 9n])
    await world.mine(1)
    const to = await world.newAddress()
    const first = await estimatedAndPaid(transfer(address, to, 1_000n), key)
    const second = await estimatedAndPaid(transfer(address, to, 1_000n), key)
    expect([first.estimated, second.estimated]).toEqual([first.paid, second.paid])
    // 15,000 energy: the slot of a balance that was zero.
    expect(first.paid - second.paid).toBeGreaterThan(1_000_000n)
    expect(await world.adapter.isActivated(to)).toBe(false)
  })

  test('with energy that was lent, only the rest is burnt', async () => {
    const { address, key } = await makeAccount(1_000_000_000n)
    await world.call('TestToken', world.contracts.token, 'mint', [evmFormOf(address), 10n ** 9n])
    const builder = world.tronweb.transactionBuilder
    await world.send((given) => builder.freezeBalanceV2(5_000_000_000, 'ENERGY', FAUCET, given))
    await world.mine(1)
    await world.send((given) => builder.delegateResource(500_000_000, address, 'ENERGY', FAUCET, false, 0, given))
    await world.mine(1)
    const { energy } = await world.adapter.resourcesOf(address)
    expect(energy).toBeGreaterThan(0n)
    const alone = await world.adapter.estimateCost(transfer(FAUCET, await world.newAddress(), 1_000n))
    const { estimated, paid } = await estimatedAndPaid(transfer(address, await world.newAddress(), 1_000n), key)
    expect(estimated).toBe(paid)
    expect(alone.ok && alone.usage.energy - energy).toBe(paid / 100n)
    // Used bandwidth comes back evenly over a day: a unit or two by now.
    expect((await world.adapter.resourcesOf(address)).energy).toBeLessThan(10n)
  })

  test('prices follow the chain’s parameters', async () => {
    await chain.setParameters({ getEnergyFee: 210n })
    expect(await world.adapter.feeRate()).toMatchObject({ energy: 210n })
    const { address, key } = await makeAccount(1_000_000_000n)
    await world.call('TestToken', world.contracts.token, 'mint', [evmFormOf(address), 10n ** 9n])
    await world.mine(1)
    const { estimated, paid } = await estimatedAndPaid(transfer(address, await world.newAddress(), 1_000n), key)
    expect(estimated).toBe(paid)
    await chain.setParameters({ getEnergyFee: 100n })
  })

  test('a call that would fail is refused as such', async () => {
    const { address } = await makeAccount(1_000_000n)
    const other = await world.newAddress()
    expect(await world.adapter.estimateCost(transfer(address, other, 1n))).toMatchObject({
      ok: false,
      reason: 'reverted',
    })
  })

  test('audit M-B6: a contract that the node does not know may be one that it has not read yet: nothing is concluded', async () => {
    const { address } = await makeAccount(1_000_000n)
    const other = await world.newAddress()
    const unknown = world.adapter.estimateCost({ ...transfer(address, other, 1n), contract: other } as Contract)
    await expect(unknown).rejects.toMatchObject({
      name: 'ChainUnavailable',
      message: expect.stringContaining(other) as string,
    })
  })
})

describe('mined and failed', () => {
  test('a call that runs out of its fee limit, and one that reverts: no transfer, the fee paid', async () => {
    const { adapter, contracts, newAddress, mine } = world
    const to = await newAddress()
    const call = (units: bigint): Contract => ({
      kind: 'TriggerSmartContract',
      owner: FAUCET,
      contract: contracts.token,
      callValue: 0n,
      data: encodeTokenTransfer(to, units),
    })
    const hashes: string[] = []
    for (const [feeLimit, units] of [
      [100_000n, 5n],
      [5_000_000_000n, 10n ** 30n],
    ] as const) {
      const { time: _, ...block } = await adapter.reference()
      const raw = await altered({ ...block, contract: call(units), feeLimit }, FAUCET_KEY)
      expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
      hashes.push(parsedHash(raw))
    }
    await mine(1)
    for (const hash of hashes) {
      const status = await adapter.statusOf(hash)
      expect(status).toMatchObject({ kind: 'mined', succeeded: false })
      const block = await blockOf(adapter, hash)
      const shown = block.transactions.find((one) => one.hash === hash)!
      expect(shown).toMatchObject({ succeeded: false, transfers: [] })
      expect(shown.fee).toBeGreaterThan(0n)
      expect(status).toMatchObject({ fee: shown.fee })
    }
  })
})
