import { describe, expect, test } from 'vitest'
import { genesisOf } from '../../../../../test/world/dialects/tron.ts'
import {
  hashOfTest,
  headerOf,
  idOf,
  shownTransfer,
  startScriptedNode,
  type Answers,
} from '../../../../../test/world/scripted-tron-node.ts'

const HASH = hashOfTest('ab')
const OTHER = hashOfTest('cd')

/** A chain of ten blocks; the transaction is in the eighth, which is not solidified yet. */
const chain = (): Answers => ({
  'wallet/getblock': ({ id_or_num: at }) =>
    at === undefined ? headerOf(10) : Number(at) <= 10 ? headerOf(Number(at)) : {},
  'wallet/getblockbynum': ({ num }) => ({
    ...headerOf(Number(num)),
    ...(num === 8 && { transactions: [shownTransfer(HASH)] }),
  }),
  'wallet/gettransactioninfobyid': ({ value }) => (value === HASH ? { id: HASH, blockNumber: 8, fee: 7 } : {}),
  'wallet/gettransactioninfobyblocknum': ({ num }) => (num === 8 ? [{ id: HASH, blockNumber: 8, fee: 7 }] : []),
  'wallet/gettransactionfrompending': () => ({}),
  'walletsolidity/getblock': () => headerOf(7, 'aa', 21_000),
  'walletsolidity/gettransactionbyid': () => ({}),
  'walletsolidity/gettransactioninfobyid': () => ({}),
})
const mined = { kind: 'mined', height: 8, blockHash: idOf(8), succeeded: true, fee: 7n }

describe('the status of a transaction', () => {
  test('in a block, in the pool, unknown', async () => {
    const { adapter, answers } = await startScriptedNode(chain())
    expect(await adapter.statusOf(HASH)).toEqual(mined)
    expect(await adapter.statusOf(OTHER)).toEqual({ kind: 'unknown' })
    answers['wallet/gettransactionfrompending'] = () => ({ txID: OTHER })
    expect(await adapter.statusOf(OTHER)).toEqual({ kind: 'mempool' })
  })

  test('a block is read once for all of its transactions, and once more when a fork replaced it', async () => {
    const { adapter, answers, asked } = await startScriptedNode(chain())
    await adapter.statusOf(HASH)
    await adapter.statusOf(HASH)
    expect(asked.filter((method) => method === 'wallet/getblockbynum')).toHaveLength(1)
    answers['wallet/getblock'] = ({ id_or_num: at }) => headerOf(Number(at ?? 10), 'bb')
    answers['wallet/getblockbynum'] = () => ({ ...headerOf(8, 'bb'), transactions: [shownTransfer(OTHER)] })
    // The node still has the info; its block is no longer the best chain's.
    expect(await adapter.statusOf(HASH)).toEqual({ kind: 'unknown' })
    answers['wallet/getblockbynum'] = () => ({ ...headerOf(8, 'bb'), transactions: [shownTransfer(HASH)] })
    answers['wallet/getblock'] = ({ id_or_num: at }) => headerOf(Number(at ?? 10), 'cc')
    answers['wallet/getblockbynum'] = () => ({
      ...headerOf(8, 'cc'),
      transactions: [shownTransfer(HASH, 'OUT_OF_ENERGY')],
    })
    expect(await adapter.statusOf(HASH)).toEqual({ ...mined, blockHash: idOf(8, 'cc'), succeeded: false })
  })

  test('mined between two questions', async () => {
    const { adapter, answers } = await startScriptedNode(chain())
    const found = answers['wallet/gettransactioninfobyid']!
    let asked = 0
    answers['wallet/gettransactioninfobyid'] = (body) => (asked++ === 0 ? {} : found(body))
    expect(await adapter.statusOf(HASH)).toEqual(mined)
  })

  test.each<[string, Answers]>([
    ['an answer about another transaction', { 'wallet/gettransactioninfobyid': () => ({ id: OTHER, blockNumber: 8 }) }],
    [
      'nothing, of a node that does not know its head',
      { 'wallet/gettransactioninfobyid': () => ({}), 'wallet/getblock': () => ({}) },
    ],
    ['an error', { 'wallet/gettransactioninfobyid': () => ({ Error: 'class java.lang.Exception : busy' }) }],
    ['another block', { 'wallet/getblock': () => headerOf(9) }],
  ])('%s is not believed', async (_name, wrong) => {
    const { adapter } = await startScriptedNode({ ...chain(), ...wrong })
    await expect(adapter.statusOf(HASH)).rejects.toMatchObject({
      name: 'ChainUnavailable',
      message: expect.stringMatching(/^TRON: wallet_/),
    })
  })
})

describe('proof that a transaction is dead', () => {
  test('needs a solidified head past its expiration', async () => {
    const { adapter } = await startScriptedNode(chain())
    expect(await adapter.isProvenDead(OTHER, 20_999)).toBe(true)
    expect(await adapter.isProvenDead(OTHER, 21_000)).toBe(false)
    expect(await adapter.isProvenDead(OTHER, 30_000)).toBe(false)
  })

  test.each<[string, Answers]>([
    ['the solidified chain holds it', { 'walletsolidity/gettransactionbyid': () => ({ txID: OTHER }) }],
    ['the solidified chain knows what came of it', { 'walletsolidity/gettransactioninfobyid': () => ({ id: OTHER }) }],
  ])('is not there when %s', async (_name, held) => {
    const { adapter } = await startScriptedNode({ ...chain(), ...held })
    expect(await adapter.isProvenDead(OTHER, 1)).toBe(false)
  })

  test('asks for the time before it asks for the transaction', async () => {
    const { adapter, asked } = await startScriptedNode(chain())
    await adapter.isProvenDead(OTHER, 1)
    expect(asked.slice(0, 2)).toEqual(['walletsolidity/getblock', 'walletsolidity/gettransactionbyid'])
  })

  test('audit D-T3: needs each machine that does not know it to be past its end itself', async () => {
    // TronGrid's balancer: consecutive answers come from machines at different heights, also on walletsolidity
    // (TRON-US/trongrid #8, #18).
    let asked = 0
    const { adapter } = await startScriptedNode({
      ...chain(),
      'walletsolidity/getblock': () => (asked++ === 0 ? headerOf(7, 'aa', 700_000) : headerOf(3, 'aa', 9_000)),
    })
    expect(await adapter.isProvenDead(OTHER, 600_000)).toBe(false)
  })

  test('audit D-T3: needs the solidified block to be on the chain that /wallet shows', async () => {
    const { adapter } = await startScriptedNode({
      ...chain(),
      'walletsolidity/getblock': () => headerOf(7, 'ff', 700_000),
    })
    expect(await adapter.isProvenDead(OTHER, 600_000)).toBe(false)
  })

  test('is not concluded from a node that can’t be believed', async () => {
    const { adapter, answers } = await startScriptedNode(chain())
    answers['walletsolidity/gettransactionbyid'] = () => ({ Error: 'class java.lang.Exception : lite node' })
    await expect(adapter.isProvenDead(OTHER, 1)).rejects.toThrow(/lite node/)
    let asked = 0
    answers['walletsolidity/gettransactionbyid'] = () => ({})
    answers['walletsolidity/getblock'] = () => (asked++ === 0 ? headerOf(7) : {})
    await expect(adapter.isProvenDead(OTHER, 1)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })
})

describe('the identity of a network', () => {
  test('audit D-T3: row T-44: is the genesis block of both urls, and is refused when they differ', async () => {
    const { adapter, answers } = await startScriptedNode({
      ...chain(),
      'walletsolidity/getblock': ({ id_or_num: at }) => headerOf(Number(at ?? 7)),
    })
    expect(await adapter.identity()).toBe(genesisOf('main'))
    answers['walletsolidity/getblock'] = ({ id_or_num: at }) => headerOf(Number(at ?? 7), 'ff')
    await expect(adapter.identity()).rejects.toThrow(/url and solidityUrl are of different chains/)
  })
})

/** Another branch at each question. */
let branch = 0

describe('a block', () => {
  test('is read anew when the chain switched before its infos came', async () => {
    const { adapter, answers } = await startScriptedNode(chain())
    const [info, block] = [answers['wallet/gettransactioninfobyblocknum']!, answers['wallet/getblockbynum']!]
    let readings = 0
    answers['wallet/getblockbynum'] = (body) => {
      readings += 1
      return readings === 1 ? { ...headerOf(8, 'bb'), transactions: [shownTransfer(OTHER)] } : block(body)
    }
    answers['wallet/gettransactioninfobyblocknum'] = info
    expect(await adapter.blockAt(8)).toMatchObject({
      hash: idOf(8),
      parent: idOf(7),
      time: 24_000,
      transactions: [{ hash: HASH, fee: 7n }],
    })
    expect(readings).toBe(2)
  })

  test.each<[string, Answers]>([
    ['an info is missing', { 'wallet/gettransactioninfobyblocknum': () => [] }],
    ['an info is of another block', { 'wallet/gettransactioninfobyblocknum': () => [{ id: HASH, blockNumber: 9 }] }],
    ['it is of another height', { 'wallet/getblockbynum': () => headerOf(9) }],
    ['its id says another height', { 'wallet/getblockbynum': () => ({ ...headerOf(8), blockID: idOf(9) }) }],
    [
      'the chain never rests',
      { 'wallet/getblock': () => headerOf(8, (branch = (branch + 1) % 256).toString(16).padStart(2, '0')) },
    ],
  ])('is not believed when %s', async (_name, wrong) => {
    const { adapter } = await startScriptedNode({ ...chain(), ...wrong })
    await expect(adapter.blockAt(8)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })
})

test('the node below a path, the solidity node elsewhere, and the key of a gateway', async () => {
  const solidity = await startScriptedNode(chain())
  const full = await startScriptedNode(chain())
  const { createTronAdapter } = await import('./index.ts')
  const adapter = createTronAdapter({
    url: `${full.url}/api`,
    solidityUrl: solidity.url,
    apiKey: 'k-1',
    tokens: [],
    internalTransactions: false,
    random: () => 0,
  })
  expect([await adapter.head(), await adapter.finalized()]).toEqual([
    { height: 10, hash: idOf(10) },
    { height: 7, hash: idOf(7) },
  ])
  expect([full.asked, solidity.asked]).toEqual([['wallet/getblock'], ['walletsolidity/getblock']])
  expect(full.headers[0]!['tron-pro-api-key']).toBe('k-1')
  await adapter.close()
})
