/**
 * Transactions that the signer signs, on a chain that verifies them: every kind of transaction of TRON that we make.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { referenceTo, serializeUnsigned, type Contract } from '@bursar/chainkit/tron'
import { startTronChain, type TronChain } from '../../../../sandbox/tron/index.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import { ownerOf, tronIntent } from '../../../../test/world/tron-requests.ts'
import { codeOf, depositKey, hotKey, makeSigner, policyFile, uuid } from '../../../../test/world/signer.ts'
import type { TestSigner } from '../../../../test/world/signer.ts'

const hot = ownerOf(hotKey)
const deposit = ownerOf(depositKey(3))
let chain: TronChain

beforeAll(async () => {
  chain = await startTronChain({ port: 0, solidLag: 2 })
  await chain.fund({ ticker: 'TRX', to: hot, amount: '20000' })
  await chain.mine(3)
})
afterAll(() => chain.stop())

const ask = async (path: string, body: object): Promise<Record<string, unknown>> =>
  (await (await fetch(`${chain.url}/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()) as Record<
    string,
    unknown
  >

const now = (): number => chain.status().timestamp
/** More TRX than the other tests' policy moves. */
const TRX = { enabled: true, maxPerIntent: '1000000000', maxPerHour: '3000000000', maxPerDay: '5000000000' }
const policy = {
  ...policyFile,
  networks: {
    ...policyFile.networks,
    TRON: { ...policyFile.networks.TRON, assets: { ...policyFile.networks.TRON.assets, TRX } },
  },
}

const requestFor = (contract: Contract, more: Partial<SignRequest>): SignRequest => {
  const unsigned = serializeUnsigned({
    ...referenceTo(chain.status().solidId),
    expiration: now() + 60_000,
    timestamp: now(),
    feeLimit: 0n,
    contract,
  })
  return {
    network: 'TRON',
    transactionId: uuid(1),
    purpose: 'treasury',
    intents: [],
    keys: [hotKey],
    unsigned: Buffer.from(unsigned).toString('hex'),
    ...more,
  }
}

/** Signs, broadcasts and mines a transaction. @returns its outcome */
const carryOut = async ({ signer }: TestSigner, request: SignRequest): Promise<unknown> => {
  const { signed, hash } = await signer.sign(request)
  expect(await ask('wallet/broadcasthex', { transaction: signed })).toMatchObject({
    result: true,
    code: 'SUCCESS',
    txid: hash,
  })
  await chain.mine()
  const { ret } = (await ask('wallet/gettransactionbyid', { value: hash })) as { ret: { contractRet: string }[] }
  return ret[0]!.contractRet
}

test('each kind of transaction is taken and mined', async () => {
  const world = await makeSigner({ now, policy })
  const receiver = depositKey(3)
  const lend = { owner: hot, resource: 'ENERGY', amount: 100_000_000n, receiver: deposit } as const
  const steps: [Contract, Partial<SignRequest>][] = [
    [{ kind: 'AccountCreateContract', owner: hot, account: deposit }, { receiver }],
    [{ kind: 'FreezeBalanceV2Contract', owner: hot, amount: 500_000_000n, resource: 'ENERGY' }, {}],
    [{ kind: 'FreezeBalanceV2Contract', owner: hot, amount: 300_000_000n, resource: 'BANDWIDTH' }, {}],
    [{ kind: 'DelegateResourceContract', ...lend, lock: false, lockPeriod: 0n }, { receiver }],
    [{ kind: 'UnDelegateResourceContract', ...lend }, { receiver }],
    [{ kind: 'UnfreezeBalanceV2Contract', owner: hot, amount: 100_000_000n, resource: 'ENERGY' }, {}],
  ]
  for (const [contract, more] of steps)
    expect([contract.kind, await carryOut(world, requestFor(contract, more))]).toEqual([contract.kind, 'SUCCESS'])
  await chain.advance(15 * 24 * 3_600_000)
  await chain.mine(3)
  const withdraw = requestFor({ kind: 'WithdrawExpireUnfreezeContract', owner: hot }, {})
  expect(await carryOut(world, withdraw)).toBe('SUCCESS')
  const intent = tronIntent(1, { asset: 'TRX', to: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', units: '700000000' })
  const pay = requestFor(
    { kind: 'TransferContract', owner: hot, to: intent.to, amount: 700_000_000n },
    { purpose: 'payout', intents: [intent] },
  )
  expect(await carryOut(world, pay)).toBe('SUCCESS')
  expect(await ask('wallet/getaccount', { address: intent.to, visible: true })).toMatchObject({ balance: 700_000_000 })
})

test('a payment that expired in the pool is made anew ten minutes later, and only one of the two is ever mined', async () => {
  const world = await makeSigner({ now, policy })
  const intent = tronIntent(2, { asset: 'TRX', to: 'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6', units: '5000000' })
  const request = (): SignRequest =>
    requestFor(
      { kind: 'TransferContract', owner: hot, to: intent.to, amount: 5_000_000n },
      { purpose: 'payout', intents: [intent] },
    )
  await chain.hold(true)
  const { signed } = await world.signer.sign(request())
  expect(await ask('wallet/broadcasthex', { transaction: signed })).toMatchObject({ result: true })
  await chain.advance(61_000)
  expect(await codeOf(world.signer, request())).toBe('intent-already-signed')
  await chain.advance(10 * 60_000)
  await chain.hold(false)
  await chain.mine(2)
  expect(await carryOut(world, request())).toBe('SUCCESS')
  expect(await ask('wallet/broadcasthex', { transaction: signed })).toMatchObject({
    result: false,
    code: 'TRANSACTION_EXPIRATION_ERROR',
  })
  expect(await ask('wallet/getaccount', { address: intent.to, visible: true })).toMatchObject({ balance: 5_000_000 })
})
