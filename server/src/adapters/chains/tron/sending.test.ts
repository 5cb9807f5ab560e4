import {
  addressOfHex,
  serializeSigned,
  transactionId,
  type Contract,
  type UnsignedTransaction,
} from '@bursar/chainkit/tron'
import { describe, expect, test } from 'vitest'
import {
  hashOfTest,
  headerOf,
  idOf,
  shownTransfer,
  startScriptedNode,
  type Answers,
} from '../../../../../test/world/scripted-tron-node.ts'

const [OWNER, OTHER, USDT] = ['11', '22', '33'].map((byte) => `41${byte.repeat(20)}`) as [string, string, string]
const [owner, other, usdt] = [OWNER, OTHER, USDT].map(addressOfHex) as [string, string, string]
const unsigned: UnsignedTransaction = {
  refBlockBytes: '0001',
  refBlockHash: 'aa'.repeat(8),
  expiration: 60_000,
  timestamp: 1,
  feeLimit: 0n,
  contract: { kind: 'TransferContract', owner, to: other, amount: 5n },
}
/** The signature is of any key: these tests do not check it. */
const SIGNATURE = Uint8Array.from([...new Uint8Array(31), 1, ...new Uint8Array(31), 1, 27])
const RAW = Buffer.from(serializeSigned(unsigned, SIGNATURE)).toString('hex')
const HASH = transactionId(unsigned)
const hex = (text: string): string => Buffer.from(text).toString('hex')

const well = (): Answers => ({
  'wallet/getblock': ({ id_or_num: at }) => headerOf(Number(at ?? 10)),
  'walletsolidity/getblock': () => headerOf(7),
  'wallet/getblockbynum': ({ num }) => headerOf(Number(num)),
  'wallet/gettransactioninfobyid': () => ({}),
  'wallet/gettransactionfrompending': () => ({}),
  'wallet/getchainparameters': () => ({
    chainParameter: [
      { key: 'getMaintenanceTimeInterval', value: 21_600_000 },
      { key: 'getTransactionFee', value: 1_000 },
      { key: 'getEnergyFee', value: 100 },
      { key: 'getCreateAccountFee', value: 100_000 },
      { key: 'getCreateNewAccountFeeInSystemContract', value: 1_000_000 },
      { key: 'getAllowTvmLondon' },
    ],
  }),
  'wallet/getaccount': ({ address }) => (address === OWNER ? { address: OWNER, balance: 5 } : {}),
  'wallet/getaccountresource': ({ address }) =>
    address === OWNER
      ? { freeNetLimit: 600, freeNetUsed: 100, NetLimit: 50, NetUsed: 70, EnergyLimit: 10_000, EnergyUsed: 4_000 }
      : {},
})

describe('handing over', () => {
  const refusal = (code: string, message = ''): Answers => ({
    ...well(),
    'wallet/broadcasthex': () => ({ result: false, code, txid: HASH, message }),
  })

  test('an accepted transaction is accepted under its own hash', async () => {
    const { adapter, answers } = await startScriptedNode({
      ...well(),
      'wallet/broadcasthex': ({ transaction }) => ({ result: transaction === RAW, code: 'SUCCESS', txid: HASH }),
    })
    expect(await adapter.broadcast(RAW)).toEqual({ kind: 'accepted' })
    answers['wallet/broadcasthex'] = () => ({ result: true, txid: hashOfTest('ee') })
    await expect(adapter.broadcast(RAW)).rejects.toThrow(/was taken as/)
    answers['wallet/broadcasthex'] = () => ({ result: true })
    await expect(adapter.broadcast(RAW)).rejects.toThrow(/without a txid/)
    answers['wallet/broadcasthex'] = () => ({})
    await expect(adapter.broadcast(RAW)).rejects.toThrow(/neither taken nor refused/)
  })

  test.each([
    [
      'TRANSACTION_EXPIRATION_ERROR',
      hex('Transaction expired'),
      { kind: 'refused', reason: 'expired', message: 'TRANSACTION_EXPIRATION_ERROR: Transaction expired' },
    ],
    ['TAPOS_ERROR', 'Tapos check error.', { kind: 'refused', reason: 'expired' }],
    ['SIGERROR', 'Validate signature error', { kind: 'refused', reason: 'invalid' }],
    ['CONTRACT_VALIDATE_ERROR', hex('balance is not sufficient.'), { kind: 'refused', reason: 'insufficient-funds' }],
  ])('%s', async (code, message, result) => {
    const { adapter } = await startScriptedNode(refusal(code, message))
    expect(await adapter.broadcast(RAW)).toMatchObject(result)
  })

  test('a refusal of a transaction that is in a block already counts as accepted', async () => {
    const { adapter, answers } = await startScriptedNode(refusal('TRANSACTION_EXPIRATION_ERROR'))
    answers['wallet/gettransactioninfobyid'] = () => ({ id: HASH, blockNumber: 8 })
    answers['wallet/getblockbynum'] = () => ({ ...headerOf(8), transactions: [shownTransfer(HASH)] })
    expect(await adapter.broadcast(RAW)).toEqual({ kind: 'accepted' })
  })

  test.each(['SERVER_BUSY', 'NO_CONNECTION', 'BLOCK_UNSOLIDIFIED', 'OTHER_ERROR'])(
    '%s says nothing, and is asked once',
    async (code) => {
      const { adapter, asked } = await startScriptedNode(refusal(code))
      await expect(adapter.broadcast(RAW)).rejects.toThrow(code)
      expect(asked).toEqual(['wallet/broadcasthex'])
    },
  )

  test.each(['', 'zz', '0x', `0x${RAW}`, RAW.slice(2), `${RAW}00`, RAW.slice(0, -2)])(
    'rubbish never reaches the node: %s',
    async (raw) => {
      const { adapter, asked } = await startScriptedNode(well())
      expect(await adapter.broadcast(raw)).toMatchObject({ kind: 'refused', reason: 'invalid' })
      expect(asked).toEqual([])
    },
  )
})

describe('costs', () => {
  const call: Contract = {
    kind: 'TriggerSmartContract',
    owner,
    contract: usdt,
    callValue: 0n,
    data: `0xa9059cbb${'0'.repeat(128)}`,
  }
  const run = (more: object = {}): object => ({
    result: { result: true },
    energy_used: 64_000,
    constant_result: ['01'],
    transaction: { ret: [{}] },
    ...more,
  })

  test('of a payment of TRX: by size, and the activation of a receiver without an account', async () => {
    const { adapter } = await startScriptedNode(well())
    const resources = { bandwidth: 0n, freeBandwidth: 500n, energy: 6_000n }
    expect(await adapter.resourcesOf(owner)).toEqual(resources)
    expect(await adapter.resourcesOf(other)).toEqual({ bandwidth: 0n, freeBandwidth: 0n, energy: 0n })
    expect(await adapter.estimateCost({ kind: 'TransferContract', owner, to: other, amount: 1_000_000n })).toEqual({
      ok: true,
      usage: { bandwidth: 267, energy: 0n, activates: true },
      most: 1_100_000n,
      burn: { energy: 0n, bandwidth: 100_000n, activation: 1_000_000n, total: 1_100_000n },
    })
    expect(
      await adapter.estimateCost({ kind: 'TransferContract', owner, to: owner, amount: 1_000_000n }),
    ).toMatchObject({
      usage: { activates: false },
      burn: { total: 0n },
      most: 267_000n,
    })
  })

  test('of a call: the energy of the run; the estimate of the node is only a limit', async () => {
    const { adapter, answers } = await startScriptedNode({ ...well(), 'wallet/triggerconstantcontract': () => run() })
    // No `vm.estimateEnergy`: java-tron says so as a refusal.
    answers['wallet/estimateenergy'] = () => ({
      result: { code: 'CONTRACT_VALIDATE_ERROR', message: hex('this node does not support estimate energy') },
    })
    expect(await adapter.estimateCost(call)).toMatchObject({
      usage: { bandwidth: 346, energy: 64_000n, activates: false },
      burn: { energy: 5_800_000n, bandwidth: 0n },
      most: 6_746_000n,
    })
    answers['wallet/estimateenergy'] = ({ function_selector: name, parameter, data }) =>
      name === 'transfer(address,uint256)' && parameter === '0'.repeat(128) && data === undefined
        ? { result: { result: true }, energy_required: 70_000 }
        : { result: { result: true }, energy_required: 1 }
    expect(await adapter.estimateCost(call)).toMatchObject({ usage: { energy: 64_000n, energyLimit: 70_000n } })
    // A call without a known name is sent as it is; its estimate is then no less than the run.
    expect(await adapter.estimateCost({ ...call, data: '0x12345678' })).toMatchObject({
      usage: { energy: 64_000n, energyLimit: 64_000n },
    })
  })

  test.each([
    [
      'reverted',
      run({
        result: { result: true, message: hex('REVERT opcode executed') },
        transaction: { ret: [{ ret: 'FAILED' }] },
      }),
    ],
    ['insufficient-funds', { result: { code: 'CONTRACT_EXE_ERROR', message: hex('balance is not sufficient') } }],
  ])('of a call that would fail: %s', async (reason, answer) => {
    const { adapter } = await startScriptedNode({ ...well(), 'wallet/triggerconstantcontract': () => answer })
    expect(await adapter.estimateCost(call)).toMatchObject({ ok: false, reason })
  })

  test.each([
    'this node does not support constant',
    'Smart contract is not exist.',
    'No contract or not a valid smart contract.',
  ])('audit M-B6: %s: nothing is concluded of the call', async (said) => {
    // Wallet.callConstantContract of java-tron throws these for a node without vm.supportConstant, or behind the
    // contract's creation.
    const answer = { result: { code: 'CONTRACT_VALIDATE_ERROR', message: hex(said) } }
    const { adapter } = await startScriptedNode({ ...well(), 'wallet/triggerconstantcontract': () => answer })
    await expect(adapter.estimateCost(call)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test.each([
    ['busy', { result: { code: 'SERVER_BUSY' } }],
    ['without what the call gave', run({ constant_result: undefined })],
    ['without a result', { energy_used: 5 }],
  ])('an answer that is %s is not believed', async (_name, answer) => {
    const { adapter } = await startScriptedNode({ ...well(), 'wallet/triggerconstantcontract': () => answer })
    await expect(adapter.estimateCost(call)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test('a price that the node leaves out is not guessed', async () => {
    const { adapter, answers } = await startScriptedNode(well())
    expect(await adapter.feeRate()).toEqual({
      kind: 'resources',
      energy: 100n,
      bandwidth: 1_000n,
      accountBandwidth: 100_000n,
      activation: 1_000_000n,
    })
    answers['wallet/getchainparameters'] = () => ({ chainParameter: [{ key: 'getTransactionFee', value: 1_000 }] })
    await expect(adapter.feeRate()).rejects.toThrow(/getEnergyFee/)
  })
})

describe('balances', () => {
  const wanted = [
    { address: owner, contract: null },
    { address: other, contract: null },
    { address: owner, contract: usdt },
  ]
  const solid = (): Answers => ({
    ...well(),
    'walletsolidity/getaccount': ({ address }) => (address === OWNER ? { address: OWNER, balance: 77 } : {}),
    'walletsolidity/triggerconstantcontract': ({ contract_address: at }) =>
      at === USDT
        ? { result: { result: true }, energy_used: 500, constant_result: ['2a'.padStart(64, '0')] }
        : {
            result: { result: true, message: hex('REVERT opcode executed') },
            transaction: { ret: [{ ret: 'FAILED' }] },
          },
  })

  test('are the solidified head’s, and of no other height', async () => {
    const { adapter } = await startScriptedNode(solid())
    expect(await adapter.balancesAt(7, wanted)).toEqual([77n, 0n, 42n])
    expect(await adapter.balancesAtFinal(wanted)).toEqual({ head: { height: 7, hash: idOf(7) }, units: [77n, 0n, 42n] })
    for (const height of [6, 8, 10])
      await expect(adapter.balancesAt(height, wanted)).rejects.toThrow(/solidified head 7/)
    await expect(adapter.balancesAt(7, [{ address: owner, contract: other }])).rejects.toThrow(/no balance/)
  })

  test('are read anew while the solidified head moves', async () => {
    const { adapter, answers } = await startScriptedNode(solid())
    let asked = 0
    answers['walletsolidity/getblock'] = () => headerOf(asked++ === 0 ? 7 : 8)
    expect((await adapter.balancesAtFinal(wanted)).head.height).toBe(8)
    answers['walletsolidity/getblock'] = () => headerOf(asked++)
    await expect(adapter.balancesAtFinal(wanted)).rejects.toThrow(/ask for fewer/)
  })
})

test('the reference is a block that no fork removes, with the time of the head', async () => {
  const { adapter } = await startScriptedNode(well())
  expect(await adapter.reference()).toEqual({ refBlockBytes: '0007', refBlockHash: 'aa'.repeat(8), time: 30_000 })
})
