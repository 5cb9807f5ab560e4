import { expect, test } from 'vitest'
import { refuse, startRpcNode, type Answer } from '../../../../../test/world/rpc-node.ts'
import {
  headerOf,
  idOf,
  shownTransfer,
  startScriptedNode,
  type Answers,
} from '../../../../../test/world/scripted-tron-node.ts'
import { ChainUnavailable } from '../port.ts'
import { agrees, compareAll } from './comparison.ts'
import { compareNode, compareRefusals } from './index.ts'

const HASH = `0x${'ab'.repeat(32)}`
const HEAD = 100
const hashAt = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
const blockAt = (place: unknown, more: object = {}) => {
  const height = place === 'latest' ? HEAD : Number(place)
  return height > HEAD
    ? null
    : {
        number: `0x${height.toString(16)}`,
        hash: hashAt(height),
        timestamp: '0x1',
        transactions: [{ hash: HASH, type: '0x2' }],
        ...more,
      }
}
const isKnown = (hash: unknown): boolean => Number(hash) <= HEAD
const receiptIn = (blockHash: unknown) => ({
  transactionHash: HASH,
  blockHash,
  gasUsed: '0xea60',
  logs: [
    { logIndex: '0x0', address: HASH },
    { logIndex: '0x1', address: HASH },
  ],
})

/** go-ethereum 1.16 (eth/api_backend.go, internal/ethapi/api.go, eth/tracers/api.go). */
const GETH: Record<string, Answer> = {
  eth_getBlockByNumber: ([place]) => blockAt(place),
  eth_getBlockReceipts: ([hash]) => (isKnown(hash) ? [receiptIn(hash)] : null),
  debug_traceBlockByHash: ([hash]) =>
    isKnown(hash)
      ? [{ result: { type: 'CALL', calls: [{ type: 'STATICCALL' }] } }]
      : refuse(-32000, 'block 0xfe not found')(),
  debug_traceTransaction: () => ({ type: 'CALL', calls: [{ type: 'STATICCALL' }] }),
  eth_getBalance: refuse(-32000, 'header for hash not found'),
  eth_getTransactionByHash: () => null,
  eth_call: refuse(3, 'execution reverted'),
  eth_estimateGas: refuse(-32000, 'insufficient funds for gas * price + value: balance 0, tx cost 1'),
}
const evm = async (changed: Record<string, Answer>) => {
  const comparisons = await compareNode(
    { ETHEREUM: { url: await startRpcNode({ ...GETH, ...changed }), chainId: 1 } },
    'ETHEREUM',
  )
  return new Map(comparisons.map(({ row, result, text }) => [row, `${result}: ${text}`]))
}

test('a node that speaks as geth agrees in everything', async () => {
  expect([...(await evm({})).values()].filter((line) => !line.startsWith('agrees'))).toEqual([])
})

test.for<[what: string, row: string, changed: Record<string, Answer>, says: RegExp]>([
  [
    'a type of transaction of tomorrow',
    'types of transactions',
    { eth_getBlockByNumber: ([place]) => blockAt(place, { transactions: [{ hash: HASH, type: '0x5' }] }) },
    /^new: types that Bursar does not know: 5/,
  ],
  [
    'a field of tomorrow',
    'fields of blocks',
    { eth_getBlockByNumber: ([place]) => blockAt(place, { blockAccessListHash: HASH }) },
    /^new: .*blockAccessListHash/,
  ],
  ['a call of tomorrow', 'kinds of calls', { debug_traceTransaction: () => ({ type: 'EXTCALL' }) }, /^new: .*EXTCALL/],
  // erigon#16491
  [
    'D-E11: logs that are numbered anew',
    'numbers of logs',
    { eth_getBlockReceipts: ([hash]) => [receiptIn(hash), receiptIn(hash)] },
    /^new: 5 blocks whose logs/,
  ],
  ['another refusal', 'state of an unknown block', { eth_getBalance: refuse(-32099, 'nope') }, /^new: refuses: nope/],
  // hyperledger/besu, RpcErrorType.java; EDR, edr_provider.
  [
    'a revert of EDR',
    'call that reverts',
    { eth_call: refuse(-32603, 'VM Exception while processing transaction: reverted without a reason') },
    /^agrees/,
  ],
  [
    'a future block that is an error',
    'block of a future height',
    { eth_getBlockByNumber: ([place]) => blockAt(place) ?? refuse(-32000, 'header not found')() },
    /^agrees/,
  ],
  [
    'a node without traces',
    'kinds of calls',
    { debug_traceTransaction: refuse(-32601, 'the method does not exist') },
    /^unknown/,
  ],
  // A trace of it could be of any size.
  [
    'only a transaction of much gas',
    'kinds of calls',
    { eth_getBlockReceipts: ([hash]) => [{ ...receiptIn(hash), gasUsed: '0x186a1' }] },
    /^unknown: no small transaction/,
  ],
])("of a node of Ethereum's kind: %s", async ([, row, changed, says]) => {
  expect((await evm(changed)).get(row)).toMatch(says)
})

const sent = async (changed: Record<string, Answer>, chainId = 11_155_111) => {
  const url = await startRpcNode({ ...GETH, eth_gasPrice: () => '0x3b9aca00', ...changed })
  return (await compareRefusals({ ETHEREUM: { url, chainId } }, 'ETHEREUM')).map(({ result }) => result)
}

test('an acceptance, or a refusal in unknown words, by a test network is new', async () => {
  // go-ethereum, core/error.go: of an account without funds; it says so of each.
  const short = refuse(-32000, 'insufficient funds for gas * price + value: balance 0, tx cost 42000')
  expect(await sent({ eth_sendRawTransaction: short })).toEqual(['agrees', 'agrees', 'agrees', 'new', 'unknown'])
  expect(await sent({ eth_sendRawTransaction: () => HASH })).toEqual(['new', 'new', 'new', 'new', 'unknown'])
})

test.each([1, 56])('chain %i is no test network: nothing is sent', async (chainId) => {
  const asked: string[] = []
  await expect(sent({ eth_sendRawTransaction: () => asked.push('sent') }, chainId)).rejects.toThrow('no test network')
  expect(asked).toEqual([])
})

const TRON_BLOCK = { ...headerOf(90), transactions: [shownTransfer('ab'.repeat(32))] }
const JAVA_TRON: Answers = {
  'wallet/getblock': () => headerOf(100),
  'walletsolidity/getblock': () => headerOf(90),
  'wallet/getblockbynum': ({ num }) => (Number(num) > 100 ? {} : TRON_BLOCK),
  'wallet/gettransactioninfobyblocknum': ({ num }) =>
    Number(num) > 100 ? [] : [{ id: idOf(1), internal_transactions: [{ note: Buffer.from('call').toString('hex') }] }],
  'wallet/gettransactionbyid': () => ({}),
  'walletsolidity/gettransactioninfobyid': () => ({}),
  'wallet/getaccount': () => ({}),
  'wallet/getcontract': () => ({}),
  'wallet/triggerconstantcontract': () => ({
    result: { code: 'CONTRACT_VALIDATE_ERROR', message: Buffer.from('Smart contract is not exist.').toString('hex') },
  }),
  'wallet/getchainparameters': () => ({
    chainParameter: [
      'getEnergyFee',
      'getTransactionFee',
      'getCreateAccountFee',
      'getCreateNewAccountFeeInSystemContract',
      'getTotalEnergyCurrentLimit',
    ].map((key) => ({ key, value: 1 })),
  }),
}
const tron = async (changed: Answers = {}) => {
  const { url } = await startScriptedNode({ ...JAVA_TRON, ...changed })
  return new Map(
    (await compareNode({ TRON: { url, genesis: idOf(0) } }, 'TRON')).map(({ row, result, text }) => [
      row,
      `${result}: ${text}`,
    ]),
  )
}

test('audit D-T1: a kind of internal transaction of tomorrow is named, and java-tron of today agrees in everything', async () => {
  expect([...(await tron()).values()].filter((line) => !line.startsWith('agrees'))).toEqual([])
  const noted = {
    'wallet/gettransactioninfobyblocknum': ({ num }: Record<string, unknown>) =>
      Number(num) > 100 ? {} : [{ internal_transactions: [{ note: Buffer.from('lendForever').toString('hex') }] }],
  }
  expect((await tron(noted)).get('T-2, T-3: notes of internal transactions')).toBe(
    'new: notes that Bursar does not know: lendForever',
  )
  expect(
    (await tron({ 'wallet/getaccount': () => ({ Error: 'nope' }) })).get('T-8: account that is not activated'),
  ).toMatch(/^new/)
})

test('a node that becomes silent costs two time limits, and one that answers {} to everything agrees in nothing', async () => {
  const asked: string[] = []
  const never = (row: string) => ({
    row,
    compare: async () => {
      asked.push(row)
      throw new ChainUnavailable('no answer within 15000 ms')
    },
  })
  const answers = { row: 'answered', compare: async () => agrees('well') }
  expect(await compareAll([never('a'), answers])).toEqual([
    { row: 'a', result: 'unknown', text: 'no answer within 15000 ms' },
    { row: 'the rest', result: 'unknown', text: '1 questions are not asked' },
  ])
  const compared = await compareAll([answers, never('b'), answers, never('c'), never('d'), never('e'), answers])
  expect(compared.map(({ row }) => row)).toEqual(['answered', 'b', 'answered', 'c', 'd', 'the rest'])
  expect(asked).toEqual(['a', 'b', 'c', 'd'])

  const { url } = await startScriptedNode({})
  const empty = await compareNode({ TRON: { url, genesis: idOf(0) } }, 'TRON')
  expect(empty.filter(({ result }) => result === 'agrees')).toEqual([])
})
