/**
 * Rows of the review's table of TRON's dialects that have no test of their own elsewhere, on a node that answers as java-tron 4.8 (release_v4.8.1)
 * does. Each names the file of java-tron that the behaviour is in.
 */
import { addressOfHex, serializeSigned, transactionId, type UnsignedTransaction } from '@bursar/chainkit/tron'
import { describe, expect, test } from 'vitest'
import { hashOfTest, headerOf, shownTransfer, startScriptedNode, type Answers } from './test-node.ts'
import { decodeTransaction } from './transaction.ts'

const [OWNER, OTHER, USDT, THIRD] = ['11', '22', '33', '44'].map((byte) => `41${byte.repeat(20)}`) as [string, string, string, string]
const [owner, other, usdt, third] = [OWNER, OTHER, USDT, THIRD].map(addressOfHex) as [string, string, string, string]
const HASH = hashOfTest('ab')
const hex = (text: string): string => Buffer.from(text).toString('hex')
const word = (digits: string): string => digits.padStart(64, '0')
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const call = {
  ret: [{ contractRet: 'SUCCESS' }], txID: HASH,
  raw_data: { contract: [{ parameter: { value: { owner_address: OWNER, contract_address: USDT } }, type: 'TriggerSmartContract' }] },
}
const entry = (note: string, to: string | undefined, more: object = {}) => ({ caller_address: USDT, ...(to && { transferTo_address: to }), callValueInfo: [{}], note: hex(note), ...more })
const transfersOf = (info: object) => decodeTransaction(call, info as Record<string, unknown>, new Set([usdt])).transfers
const unavailable = { name: 'ChainUnavailable' }

const well = (more: Answers = {}): Answers => ({
  'wallet/getblock': ({ id_or_num: at }) => headerOf(Number(at ?? 10)),
  'walletsolidity/getblock': () => headerOf(7),
  'wallet/getblockbynum': ({ num }) => ({ ...headerOf(Number(num)), transactions: [shownTransfer(HASH)] }),
  'wallet/gettransactioninfobyblocknum': ({ num }) => [{ id: HASH, blockNumber: num, fee: 5 }],
  'wallet/gettransactioninfobyid': () => ({}),
  'wallet/gettransactionfrompending': () => ({}),
  ...more,
})

describe('what is read of blocks', () => {
  test('row T-5: entries with more fields, and one that names no receiver, break nothing (Program.java, cancelAllUnfreezeV2 and voteWitness)', () => {
    const extra = '{"unfreeze":{"BANDWIDTH":5}}'
    expect(transfersOf({ internal_transactions: [entry('cancelAllUnfreezeV2', USDT, { extra }), entry('voteWitness', undefined, { extra: '{}' }), entry('call', OTHER, { callValueInfo: [{ callValue: 7 }] })] }))
      .toMatchObject([{ index: 't:0', to: other, units: 7n }])
  })

  test('row T-6: a value that is absent is 0, and tokens of a destroyed contract are no TRX (TransactionUtil.buildInternalTransaction)', () => {
    const tokens = [{ callValue: 5, tokenId: '1000001' }, { callValue: 6, tokenId: '1000002' }]
    expect(transfersOf({ internal_transactions: [entry('call', OTHER), entry('suicide', THIRD, { callValueInfo: [{ callValue: 8 }, ...tokens] })] }))
      .toEqual([{ index: 't:1', contract: null, from: [usdt], to: third, units: 8n }])
  })

  test('rows T-7 and T-39: what lists no entry moves nothing', () => {
    expect(transfersOf({ internal_transactions: [] })).toEqual([])
  })

  test.each([['row T-9: [] for a block with transactions', []], ['row T-9: {} for block 0 and others', {}], ['row T-13: infos of other transactions', [{ id: hashOfTest('cd'), blockNumber: 9 }]]])(
    '%s are not believed (GetTransactionInfoByBlockNumServlet, TransactionRetStore)', async (_name, infos) => {
      const { adapter } = await startScriptedNode(well({ 'wallet/gettransactioninfobyblocknum': () => infos }))
      await expect(adapter.blockAt(9)).rejects.toMatchObject(unavailable)
    },
  )

  test('row T-35: an address of a log has 20 bytes, and keeps its leading zeros (OperationActions, Util.convertLogAddressToTronAddress)', () => {
    const zeros = `41${'00'.repeat(4)}${'33'.repeat(16)}`
    const log = { address: zeros.slice(2), topics: [TRANSFER, word(OWNER.slice(2)), word(OTHER.slice(2))], data: word('5') }
    const { transfers } = decodeTransaction(call, { log: [log] }, new Set([addressOfHex(zeros)]))
    expect(transfers).toMatchObject([{ contract: addressOfHex(zeros), to: other, units: 5n }])
  })

  test('row T-41: with a fee of the issuer, each of two logs is one transfer: the receiver gets what its own says', () => {
    const log = (to: string, units: string) => ({ address: USDT.slice(2), topics: [TRANSFER, word(OWNER.slice(2)), word(to.slice(2))], data: word(units) })
    expect(transfersOf({ log: [log(OTHER, '63'), log(THIRD, '1')] })).toEqual([
      { index: 'l:0', contract: usdt, from: [owner], to: other, units: 99n }, { index: 'l:1', contract: usdt, from: [owner], to: third, units: 1n },
    ])
  })

  test('row T-43: a contract that is not listed may name anybody', () => {
    const log = { address: OTHER.slice(2), topics: [TRANSFER, word(OWNER.slice(2)), word(THIRD.slice(2))], data: word('ff') }
    expect(transfersOf({ log: [log] })).toEqual([])
  })
})

describe('what is nothing', () => {
  test('row T-8: {} is believed of a node only that knows its head', async () => {
    const { adapter, answers } = await startScriptedNode(well())
    expect(await adapter.statusOf(HASH)).toEqual({ kind: 'unknown' })
    answers['wallet/getblock'] = () => ({})
    await expect(adapter.statusOf(HASH)).rejects.toMatchObject(unavailable)
    await expect(adapter.isContract(other)).rejects.toMatchObject(unavailable)
  })

  test('row T-12: a lite node answers with bare text (LiteFnQueryHttpFilter)', async () => {
    const { adapter } = await startScriptedNode(well({ 'wallet/getblockbynum': () => 'this API is closed because this node is a lite fullnode' }))
    await expect(adapter.blockAt(9)).rejects.toMatchObject(unavailable)
  })
})

describe('parameters and numbers', () => {
  test('row T-36: a parameter without a value is 0, and others are passed over (JsonFormat)', async () => {
    const keys = ['getTransactionFee', 'getEnergyFee', 'getCreateAccountFee', 'getCreateNewAccountFeeInSystemContract', 'getOfTomorrow']
    const { adapter } = await startScriptedNode(well({ 'wallet/getchainparameters': () => ({ chainParameter: keys.map((key, at) => (at === 1 ? { key } : { key, value: 7 })) }) }))
    expect(await adapter.feeRate()).toEqual({ kind: 'resources', energy: 0n, bandwidth: 7n, accountBandwidth: 7n, activation: 7n })
  })
})

describe('what a broadcast is answered (Wallet.broadcastTransaction)', () => {
  const unsigned: UnsignedTransaction = {
    refBlockBytes: '0001', refBlockHash: 'aa'.repeat(8), expiration: 60_000, timestamp: 1, feeLimit: 0n, contract: { kind: 'TransferContract', owner, to: other, amount: 5n },
  }
  const RAW = Buffer.from(serializeSigned(unsigned, Uint8Array.from([...new Uint8Array(31), 1, ...new Uint8Array(31), 1, 27]))).toString('hex')
  const answering = (code: string, message: string): Answers => well({ 'wallet/broadcasthex': () => ({ result: false, code, txid: transactionId(unsigned), message }) })

  test.each([
    ['row T-28', 'TAPOS_ERROR', 'Tapos check error.', 'expired'],
    ['row T-28', 'TRANSACTION_EXPIRATION_ERROR', 'Transaction expired', 'expired'],
    ['row T-29: plain text', 'CONTRACT_VALIDATE_ERROR', 'Contract validate error : Validate TransferContract error, balance is not sufficient.', 'insufficient-funds'],
    ['row T-29: hex', 'CONTRACT_VALIDATE_ERROR', hex('Contract validate error : Validate TransferContract error, balance is not sufficient.'), 'insufficient-funds'],
    ['row T-30 (TransferActuator)', 'CONTRACT_VALIDATE_ERROR', 'Contract validate error : Cannot transfer TRX to a smartContract.', 'invalid'],
    ['row T-30 (TransferActuator)', 'CONTRACT_VALIDATE_ERROR', 'Contract validate error : Cannot transfer TRX to a smartContract which version is one. Instead please use TriggerSmartContract ', 'invalid'],
    ['row T-31', 'BANDWITH_ERROR', 'Account resource insufficient error.', 'insufficient-funds'],
    ['row T-45', 'SIGERROR', 'Validate signature error: Signature size is 64', 'invalid'],
  ])('%s: %s', async (_row, code, message, reason) => {
    const { adapter } = await startScriptedNode(answering(code, message))
    expect(await adapter.broadcast(RAW)).toMatchObject({ kind: 'refused', reason })
  })

  test.each([
    ['row T-23', 'BLOCK_UNSOLIDIFIED', 'Block unsolidified.'],
    ['row T-25: it is in the pool already', 'NOT_ENOUGH_EFFECTIVE_CONNECTION', 'P2P broadcast failed.'],
    ['row T-25', 'NO_CONNECTION', 'No connection.'],
  ])('%s: %s says nothing of the transaction', async (_row, code, message) => {
    const { adapter } = await startScriptedNode(answering(code, message))
    await expect(adapter.broadcast(RAW)).rejects.toMatchObject(unavailable)
  })
})
