/**
 * Unusual answers of java-tron 4.8, by its sources (tronprotocol/java-tron, release_v4.8.1); rows of the
 * review's table.
 */
import {
  addressOfHex,
  decodeTokenTransfer,
  encodeTokenTransfer,
  serializeSigned,
  transactionId,
  type Contract,
  type UnsignedTransaction,
} from '@bursar/chainkit/tron'
import { describe, expect, test } from 'vitest'
import {
  duplicate,
  FAILING_CODE,
  hex,
  NO_ESTIMATES,
  NOT_HERE,
  refusal,
  SILENT,
} from '../../../../../test/world/dialects/tron.ts'
import { headerOf, startScriptedNode, type Answers } from '../../../../../test/world/scripted-tron-node.ts'

const [OWNER, OTHER, USDT] = ['11', '22', '33'].map((byte) => `41${byte.repeat(20)}`) as [string, string, string]
const [owner, other, usdt] = [OWNER, OTHER, USDT].map(addressOfHex) as [string, string, string]
const call: Contract = {
  kind: 'TriggerSmartContract',
  owner,
  contract: usdt,
  callValue: 0n,
  data: encodeTokenTransfer(other, 5n),
}

const well = (more: Answers = {}): Answers => ({
  'wallet/getblock': ({ id_or_num: at }) => headerOf(Number(at ?? 10)),
  'walletsolidity/getblock': () => headerOf(7),
  'wallet/gettransactioninfobyid': () => NOT_HERE,
  'wallet/gettransactionfrompending': () => NOT_HERE,
  'wallet/getchainparameters': () => ({
    chainParameter: [
      'getTransactionFee',
      'getEnergyFee',
      'getCreateAccountFee',
      'getCreateNewAccountFeeInSystemContract',
    ].map((key) => ({ key, value: 100 })),
  }),
  'wallet/getaccount': ({ address }) => ({ address }),
  'wallet/getaccountresource': () => ({ freeNetLimit: 600 }),
  'wallet/estimateenergy': () => NO_ESTIMATES,
  ...more,
})
const run = (energy: number, more: object = {}) => ({
  result: { result: true },
  energy_used: energy,
  constant_result: ['0'.repeat(64)],
  transaction: { ret: [{}] },
  ...more,
})
const reverts = () =>
  run(500, {
    result: { result: true, message: hex('REVERT opcode executed') },
    transaction: { ret: [{ ret: 'FAILED' }] },
  })

describe('audit D-T5: rows T-14, T-16 and T-19: a node that', () => {
  test.each(SILENT)('%s says of no address that it is not frozen', async (_name, say) => {
    const { adapter } = await startScriptedNode(well({ 'wallet/triggerconstantcontract': say }))
    await expect(adapter.isFrozen(usdt, other)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test.each(SILENT)('%s says of no payment that it is impossible', async (_name, say) => {
    const { adapter } = await startScriptedNode(well({ 'wallet/triggerconstantcontract': say }))
    await expect(adapter.estimateCost(call)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })
})

test('audit D-T5: only a contract that runs and refuses both questions has no list of frozen accounts', async () => {
  const { adapter, answers } = await startScriptedNode(well({ 'wallet/triggerconstantcontract': reverts }))
  expect(await adapter.isFrozen(usdt, other)).toBe(false)
  // Circle's spelling, the second of the two.
  answers['wallet/triggerconstantcontract'] = ({ function_selector: name }) =>
    name === 'isBlacklisted(address)' ? run(500, { constant_result: ['1'.padStart(64, '0')] }) : reverts()
  expect(await adapter.isFrozen(usdt, other)).toBe(true)
})

test.each(FAILING_CODE)('audit D-T11: row T-18: %s fails the call', async (message) => {
  const { adapter } = await startScriptedNode(
    well({ 'wallet/triggerconstantcontract': refusal('OTHER_ERROR', message) }),
  )
  expect(await adapter.estimateCost(call)).toMatchObject({ ok: false, reason: 'reverted', message })
})

test.each([
  'Validate InternalTransfer error, balance is not sufficient.',
  'Validate InternalTransfer error, no OwnerAccount.',
])('row T-17: %s: there is too little TRX', async (message) => {
  const { adapter } = await startScriptedNode(
    well({ 'wallet/triggerconstantcontract': refusal('CONTRACT_VALIDATE_ERROR', message) }),
  )
  expect(await adapter.estimateCost({ ...call, callValue: 5n, data: '0x' } as Contract)).toMatchObject({
    ok: false,
    reason: 'insufficient-funds',
  })
})

test('audit D-T9: rows T-15 and T-20: a call costs the energy of its run; the estimate of the node is only its limit', async () => {
  const { adapter } = await startScriptedNode(
    well({
      'wallet/triggerconstantcontract': () => run(65_000),
      'wallet/estimateenergy': () => ({ result: { result: true }, energy_required: 75_000 }),
    }),
  )
  expect(await adapter.estimateCost(call)).toMatchObject({
    usage: { energy: 65_000n, energyLimit: 75_000n },
    burn: { energy: 6_500_000n },
  })
})

test('audit D-T10: the limit of a transfer is enough for a receiver that has none of the token by then', async () => {
  const asked: string[] = []
  const { adapter, answers } = await startScriptedNode(well())
  // USDT: about twice as much for a receiver with a balance of 0.
  answers['wallet/triggerconstantcontract'] = ({ parameter }) => {
    const { to } = decodeTokenTransfer(`0xa9059cbb${String(parameter)}`)!
    asked.push(to)
    return run(to === other ? 64_285 : 130_285)
  }
  expect(await adapter.estimateCost(call)).toMatchObject({ usage: { energy: 64_285n, energyLimit: 130_285n } })
  expect(asked).toHaveLength(2)
  answers['wallet/triggerconstantcontract'] = ({ parameter }) =>
    decodeTokenTransfer(`0xa9059cbb${String(parameter)}`)!.to === other ? run(64_285) : reverts()
  expect(await adapter.estimateCost(call)).toMatchObject({ ok: true, usage: { energy: 64_285n, energyLimit: 64_285n } })
})

test('audit D-T8: row T-10: a machine that has not read the block of a loan does not deny the loan', async () => {
  let at = 3
  const { adapter } = await startScriptedNode(
    well({ 'walletsolidity/getblock': () => headerOf(at), 'walletsolidity/getdelegatedresourcev2': () => ({}) }),
  )
  await expect(adapter.loanOf(owner, other, 5)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  at = 5
  expect(await adapter.loanOf(owner, other, 5)).toBe(0n)
})

describe('audit D-T12: rows T-26 and T-27: a transaction that the node knows already', () => {
  const unsigned: UnsignedTransaction = {
    refBlockBytes: '0001',
    refBlockHash: 'aa'.repeat(8),
    expiration: 60_000,
    timestamp: 1,
    feeLimit: 0n,
    contract: { kind: 'TransferContract', owner, to: other, amount: 5n },
  }
  const SIGNATURE = Uint8Array.from([...new Uint8Array(31), 1, ...new Uint8Array(31), 1, 27])
  const RAW = Buffer.from(serializeSigned(unsigned, SIGNATURE)).toString('hex')
  const HASH = transactionId(unsigned)
  const known = { 'wallet/broadcasthex': () => duplicate(HASH) }

  test('is taken when it waits in the pool', async () => {
    const { adapter } = await startScriptedNode(
      well({ ...known, 'wallet/gettransactionfrompending': () => ({ txID: HASH }) }),
    )
    expect(await adapter.broadcast(RAW)).toEqual({ kind: 'accepted' })
  })

  test('says nothing when it is nowhere: node.rpc.trxCacheEnable notes ids before anything is checked', async () => {
    const { adapter } = await startScriptedNode(well(known))
    await expect(adapter.broadcast(RAW)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })
})

// Source: java-tron Program.callToAddress throws TransferException with the words of VMUtils.validateForSmartContract.
test('row T-18: a receiver whose code fails with the words of a short balance does not say that the sender is short', async () => {
  const message =
    'class org.tron.core.vm.program.Program$TransferException : transfer trx failed: Validate InternalTransfer error, balance is not sufficient.'
  const { adapter } = await startScriptedNode(
    well({ 'wallet/triggerconstantcontract': refusal('OTHER_ERROR', message) }),
  )
  expect(await adapter.estimateCost({ ...call, callValue: 5n, data: '0x' } as Contract)).toMatchObject({
    ok: false,
    reason: 'reverted',
  })
})
