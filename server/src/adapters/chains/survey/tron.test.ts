import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { expect, test } from 'vitest'
import type { TronChainSettings } from '../settings.ts'
import { OLD_HEAD_TIME } from '../../../../../test/world/dialects/tron.ts'
import {
  headerOf,
  idOf,
  shownTransfer,
  startScriptedNode,
  type Answers,
} from '../../../../../test/world/scripted-tron-node.ts'
import { surveyForRole, surveyNode } from './index.ts'

const TOKEN = addressOfEvmForm('11'.repeat(20))
const HEAD = 1_000
const NOW = HEAD * 3_000 + 1_000
const hash = 'ab'.repeat(32)
const hex = (text: string): string => Buffer.from(text).toString('hex')
const refusal = (code: string, message: string) => () => ({ result: { code, message: hex(message) } })

const blockOf = ({ id_or_num: at }: Record<string, unknown>, newest: number) =>
  headerOf(at === undefined ? newest : Number(at))
/** java-tron 4.8 with the settings of docs/operating/nodes.md (framework/src/main/java/org/tron/core/services/http). */
const JAVA_TRON: Answers = {
  'wallet/getnodeinfo': () => ({ configNodeInfo: { codeVersion: '4.8.1' } }),
  'wallet/getblock': (body) => blockOf(body, HEAD),
  'walletsolidity/getblock': (body) => blockOf(body, HEAD - 19),
  'wallet/getblockbynum': ({ num }) => ({ ...headerOf(Number(num)), transactions: [shownTransfer(hash)] }),
  'wallet/gettransactioninfobyblocknum': () => [{ id: hash, internal_transactions: [{ note: hex('call') }] }],
  'wallet/triggerconstantcontract': () => ({ result: { result: true }, constant_result: ['06'] }),
  'walletsolidity/triggerconstantcontract': () => ({ result: { result: true }, constant_result: ['06'] }),
  'wallet/estimateenergy': () => ({ result: { result: true }, energy_required: 500 }),
  'wallet/getchainparameters': () => ({
    chainParameter: [
      { key: 'getEnergyFee', value: 100 },
      { key: 'getTransactionFee', value: 1_000 },
      { key: 'getForbidTransferToContract', value: 1 },
    ],
  }),
}

const settingsOf = (url: string, given: Partial<TronChainSettings>) => ({
  TRON: { url, genesis: idOf(0), internalTransactions: true, ...given },
})
const survey = async (changed: Answers = {}, given: Partial<TronChainSettings> = {}) => {
  const { url } = await startScriptedNode({ ...JAVA_TRON, ...changed })
  const findings = await surveyNode(settingsOf(url, given), 'TRON', { tokens: [TOKEN], now: NOW })
  return new Map(findings.map((one) => [one.about, one]))
}

test('a node with all that is needed is good in everything', async () => {
  const findings = await survey()
  expect([...findings.values()].filter(({ verdict }) => verdict !== 'good')).toEqual([])
  expect([...findings.keys()]).toEqual([
    'client',
    'sync',
    'solidified state',
    'receipts',
    'internal transactions',
    'constant calls',
    'estimateEnergy',
    'old blocks',
    'fees',
    'quota',
  ])
  expect(findings.get('sync')!.text).toBe(`head ${HEAD}, 1 s old; the solid block is 19 below`)
  expect(findings.get('fees')!.text).toBe(
    'getEnergyFee 100, getTransactionFee 1000, getForbidTransferToContract 1, getAllowDynamicEnergy not said',
  )
})

test.for<
  [row: string, about: string, changed: Answers, verdict: string, says: RegExp, given?: Partial<TronChainSettings>]
>([
  // Wallet.java 3078, config.conf vm.supportConstant.
  [
    'row T-14: constant calls are off',
    'constant calls',
    { 'wallet/triggerconstantcontract': refusal('CONTRACT_VALIDATE_ERROR', 'this node does not support constant') },
    'unfit',
    /vm.supportConstant = true/,
  ],
  [
    'row T-14: constant calls are off on the solidified root',
    'constant calls',
    {
      'walletsolidity/triggerconstantcontract': refusal(
        'CONTRACT_VALIDATE_ERROR',
        'this node does not support constant',
      ),
    },
    'unfit',
    /vm.supportConstant = true/,
  ],
  [
    'row T-15: estimateEnergy is off',
    'estimateEnergy',
    { 'wallet/estimateenergy': refusal('CONTRACT_VALIDATE_ERROR', 'this node does not support estimate energy') },
    'good',
    /not answered/,
  ],
  [
    'row T-16: the node is behind the token',
    'constant calls',
    { 'wallet/triggerconstantcontract': refusal('CONTRACT_VALIDATE_ERROR', 'Smart contract is not exist.') },
    'poor',
    /caught up/,
  ],
  [
    'row T-1: no internal transactions',
    'internal transactions',
    { 'wallet/gettransactioninfobyblocknum': () => [{ id: hash }] },
    'unknown',
    /saveInternalTx/,
  ],
  [
    'row T-1: recorded, but not read',
    'internal transactions',
    {},
    'poor',
    /Set internalTransactions of TRON to true/,
    { internalTransactions: false },
  ],
  // LiteFnQueryHttpFilter: text, HTTP 200.
  [
    'row T-12: a lite node',
    'receipts',
    { 'wallet/getblockbynum': () => ({ Error: 'this API is closed because this node is a lite fullnode' }) },
    'unfit',
    /openHistoryQueryWhenLiteFN = true/,
  ],
  // TransactionRetStore.put.
  [
    'row T-13: transHistory is off',
    'receipts',
    { 'wallet/gettransactioninfobyblocknum': () => [] },
    'unfit',
    /transHistory.switch/,
  ],
  [
    'row T-44: the solidified root is of another chain',
    'solidified state',
    { 'walletsolidity/getblock': ({ id_or_num: at }) => headerOf(at === undefined ? HEAD - 19 : Number(at), 'bb') },
    'unfit',
    /Set solidityUrl/,
  ],
  [
    'row T-23: the solid block is far behind',
    'sync',
    { 'walletsolidity/getblock': (body) => blockOf(body, HEAD - 60) },
    'poor',
    /60 below. Wait/,
  ],
  [
    'row T-24: the head is old',
    'sync',
    {
      'wallet/getblock': (body) =>
        body['id_or_num'] === undefined ? headerOf(HEAD, 'aa', OLD_HEAD_TIME) : blockOf(body, HEAD),
    },
    'poor',
    /caught up/,
  ],
  [
    'a head of tomorrow',
    'sync',
    {
      'wallet/getblock': (body) =>
        body['id_or_num'] === undefined ? headerOf(HEAD, 'aa', NOW + 86_400_000) : blockOf(body, HEAD),
    },
    'poor',
    /ahead of this machine's. Set this machine's clock/,
  ],
  [
    'row T-11: a snapshot without old blocks',
    'old blocks',
    {
      'wallet/getblockbynum': ({ num }) =>
        num === 1 ? {} : { ...headerOf(Number(num)), transactions: [shownTransfer(hash)] },
    },
    'poor',
    /rescan/,
  ],
])('%s', async ([, about, changed, verdict, says, given]) => {
  const finding = (await survey(changed, given)).get(about)!
  expect([finding.verdict, `${finding.text}. ${finding.change}`]).toEqual([verdict, expect.stringMatching(says)])
})

test('audit D-T5: the worker needs constant calls, the watcher receipts', async () => {
  const { url } = await startScriptedNode({
    ...JAVA_TRON,
    'wallet/triggerconstantcontract': refusal('CONTRACT_VALIDATE_ERROR', 'this node does not support constant'),
  })
  const ask = async (role: 'watcher' | 'worker') =>
    (await surveyForRole(role, settingsOf(url, {}), 'TRON', { tokens: [TOKEN], now: NOW })).map(
      ({ about, verdict }) => `${about} ${verdict}`,
    )
  expect(await ask('watcher')).toEqual(['solidified state good', 'receipts good'])
  expect(await ask('worker')).toEqual(['solidified state good', 'constant calls unfit'])
})
