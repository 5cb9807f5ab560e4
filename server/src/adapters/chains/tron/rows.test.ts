/**
 * Rows of the review's table of TRON's dialects that have no test of their own elsewhere, on a node that answers as
 * java-tron 4.8 (release_v4.8.1) does. Each names the file of java-tron that the behaviour is in.
 */
import { addressOfHex, serializeSigned, transactionId, type UnsignedTransaction } from '@bursar/chainkit/tron'
import { describe, expect, test } from 'vitest'
import {
  destruction,
  entry,
  fakeTransfer,
  LITE_NODE,
  NO_ENTRIES,
  NOT_HERE,
  parameters,
  REFUSED,
  selfDestruction,
  stakeEntries,
  transferLog,
  transferWithFee,
  UNDECIDED,
  UNUSABLE_INFOS,
  valuelessCall,
} from '../../../../../test/world/dialects/tron.ts'
import {
  hashOfTest,
  headerOf,
  shownTransfer,
  startScriptedNode,
  type Answers,
} from '../../../../../test/world/scripted-tron-node.ts'
import { decodeTransaction } from './transaction.ts'

const [OWNER, OTHER, USDT, THIRD] = ['11', '22', '33', '44'].map((byte) => `41${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
]
const [owner, other, usdt, third] = [OWNER, OTHER, USDT, THIRD].map(addressOfHex) as [string, string, string, string]
const HASH = hashOfTest('ab')
const call = {
  ret: [{ contractRet: 'SUCCESS' }],
  txID: HASH,
  raw_data: {
    contract: [
      { parameter: { value: { owner_address: OWNER, contract_address: USDT } }, type: 'TriggerSmartContract' },
    ],
  },
}
const transfersOf = (info: object) =>
  decodeTransaction(call, info as Record<string, unknown>, new Set([usdt])).transfers
const unavailable = { name: 'ChainUnavailable' }

const well = (more: Answers = {}): Answers => ({
  'wallet/getblock': ({ id_or_num: at }) => headerOf(Number(at ?? 10)),
  'walletsolidity/getblock': () => headerOf(7),
  'wallet/getblockbynum': ({ num }) => ({ ...headerOf(Number(num)), transactions: [shownTransfer(HASH)] }),
  'wallet/gettransactioninfobyblocknum': ({ num }) => [{ id: HASH, blockNumber: num, fee: 5 }],
  'wallet/gettransactioninfobyid': () => NOT_HERE,
  'wallet/gettransactionfrompending': () => NOT_HERE,
  ...more,
})

describe('transfers in blocks', () => {
  test('row T-5: entries with more fields, and one that names no receiver, break nothing (Program.java, cancelAllUnfreezeV2 and voteWitness)', () => {
    expect(
      transfersOf({
        internal_transactions: [
          ...stakeEntries(USDT),
          entry(USDT, 'call', OTHER, { callValueInfo: [{ callValue: 7 }] }),
        ],
      }),
    ).toMatchObject([{ index: 't:0', to: other, units: 7n }])
  })

  test('row T-6: a value that is absent is 0, and tokens of a destroyed contract are no TRX (TransactionUtil.buildInternalTransaction)', () => {
    expect(transfersOf({ internal_transactions: [valuelessCall(USDT, OTHER), destruction(USDT, THIRD, 8)] })).toEqual([
      { index: 't:1', contract: null, from: [usdt], to: third, units: 8n },
    ])
  })

  test('row T-7: an old contract that is its own heir sends nothing to another address', () => {
    expect(
      transfersOf({ internal_transactions: [selfDestruction(USDT, 9)] }).filter(({ from, to }) => to !== from[0]),
    ).toEqual([])
  })

  test('row T-39: stake that goes to an heir without an entry is no transfer', () => {
    expect(transfersOf({ internal_transactions: NO_ENTRIES })).toEqual([])
  })

  test.each(UNUSABLE_INFOS)(
    'rows T-9 and T-13: %s are not believed (GetTransactionInfoByBlockNumServlet, TransactionRetStore)',
    async (_name, infos) => {
      const { adapter } = await startScriptedNode(well({ 'wallet/gettransactioninfobyblocknum': () => infos }))
      await expect(adapter.blockAt(9)).rejects.toMatchObject(unavailable)
    },
  )

  test('row T-35: an address of a log has 20 bytes, and keeps its leading zeros (OperationActions, Util.convertLogAddressToTronAddress)', () => {
    const zeros = `41${'00'.repeat(4)}${'33'.repeat(16)}`
    const { transfers } = decodeTransaction(
      call,
      { log: [transferLog(zeros, OWNER, OTHER, '5')] },
      new Set([addressOfHex(zeros)]),
    )
    expect(transfers).toMatchObject([{ contract: addressOfHex(zeros), to: other, units: 5n }])
  })

  test('row T-41: with a fee of the issuer, two logs are two transfers, and the receiver gets the amount of its own log', () => {
    expect(transfersOf({ log: transferWithFee(USDT, OWNER, OTHER, THIRD) })).toEqual([
      { index: 'l:0', contract: usdt, from: [owner], to: other, units: 99n },
      { index: 'l:1', contract: usdt, from: [owner], to: third, units: 1n },
    ])
  })

  test('row T-43: a contract that is not listed may name any address', () => {
    expect(transfersOf({ log: [fakeTransfer(OTHER, OWNER, THIRD)] })).toEqual([])
  })
})

describe('empty answers', () => {
  test('row T-8: {} is believed of a node only that knows its head', async () => {
    const { adapter, answers } = await startScriptedNode(well())
    expect(await adapter.statusOf(HASH)).toEqual({ kind: 'unknown' })
    answers['wallet/getblock'] = () => NOT_HERE
    await expect(adapter.statusOf(HASH)).rejects.toMatchObject(unavailable)
    await expect(adapter.isContract(other)).rejects.toMatchObject(unavailable)
  })

  test('row T-12: a lite node answers with bare text (LiteFnQueryHttpFilter)', async () => {
    const { adapter } = await startScriptedNode(well({ 'wallet/getblockbynum': () => LITE_NODE }))
    await expect(adapter.blockAt(9)).rejects.toMatchObject(unavailable)
  })
})

describe('parameters and numbers', () => {
  test('row T-36: a parameter without a value is 0, and others are passed over (JsonFormat)', async () => {
    const keys = ['getTransactionFee', 'getEnergyFee', 'getCreateAccountFee', 'getCreateNewAccountFeeInSystemContract']
    const { adapter } = await startScriptedNode(
      well({ 'wallet/getchainparameters': () => parameters(keys, 'getEnergyFee', 7) }),
    )
    expect(await adapter.feeRate()).toEqual({
      kind: 'resources',
      energy: 0n,
      bandwidth: 7n,
      accountBandwidth: 7n,
      activation: 7n,
    })
  })
})

describe('rows T-23, T-25, T-28, T-29, T-30, T-31 and T-45: answers to a broadcast (Wallet.broadcastTransaction)', () => {
  const unsigned: UnsignedTransaction = {
    refBlockBytes: '0001',
    refBlockHash: 'aa'.repeat(8),
    expiration: 60_000,
    timestamp: 1,
    feeLimit: 0n,
    contract: { kind: 'TransferContract', owner, to: other, amount: 5n },
  }
  const RAW = Buffer.from(
    serializeSigned(unsigned, Uint8Array.from([...new Uint8Array(31), 1, ...new Uint8Array(31), 1, 27])),
  ).toString('hex')
  const answering = (code: string, message: string): Answers =>
    well({ 'wallet/broadcasthex': () => ({ result: false, code, txid: transactionId(unsigned), message }) })

  test.each(REFUSED)('%s: %s', async (_row, code, message, reason) => {
    const { adapter } = await startScriptedNode(answering(code, message))
    expect(await adapter.broadcast(RAW)).toMatchObject({ kind: 'refused', reason })
  })

  test.each(UNDECIDED)('%s: %s says nothing of the transaction', async (_row, code, message) => {
    const { adapter } = await startScriptedNode(answering(code, message))
    await expect(adapter.broadcast(RAW)).rejects.toMatchObject(unavailable)
  })
})
