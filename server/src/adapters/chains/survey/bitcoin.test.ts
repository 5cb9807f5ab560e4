import { expect, test } from 'vitest'
import { surveyForRole, surveyNode } from './index.ts'
import { refuse, startRpcNode, type Answer } from '../../../../../test/world/rpc-node.ts'

const genesis = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'
const NOW = 1_900_000_000_000

/** Bitcoin Core 30 (src/rpc/{net,blockchain,mempool,fees}.cpp). */
const CORE: Record<string, Answer> = {
  getnetworkinfo: () => ({ version: 300_000, subversion: '/Satoshi:30.0.0/', connections: 10, warnings: [] }),
  getblockchaininfo: () => ({
    chain: 'main',
    blocks: 900_000,
    headers: 900_000,
    time: NOW / 1_000 - 600,
    initialblockdownload: false,
    verificationprogress: 1,
    pruned: false,
  }),
  getindexinfo: () => ({ txindex: { synced: true, best_block_height: 900_000 } }),
  getblockcount: () => 900_000,
  getblockhash: () => 'ab'.repeat(32),
  getblock: () => ({
    tx: [{ vin: [{ coinbase: '' }] }, { vin: [{ txid: 'cd'.repeat(32), vout: 0, prevout: { height: 1 } }] }],
  }),
  getmempoolinfo: () => ({
    loaded: true,
    size: 5,
    mempoolminfee: 0.000001,
    minrelaytxfee: 0.000001,
    incrementalrelayfee: 0.000001,
    fullrbf: true,
  }),
  estimatesmartfee: () => ({ feerate: 0.00002, blocks: 2 }),
  help: ([method]) => `${String(method)} ...`,
}
const infoOf = () => CORE['getblockchaininfo']!([]) as object
const settingsOf = (url: string) => ({
  BITCOIN: { url, genesis, feeFloorMilliSatPerVb: '1000', feeCapMilliSatPerVb: '300000' },
})
const survey = async (changed: Record<string, Answer> = {}) => {
  const url = await startRpcNode({ ...CORE, ...changed })
  const findings = await surveyNode(settingsOf(url), 'BITCOIN', { tokens: [], now: NOW })
  return new Map(findings.map((one) => [one.about, one]))
}

test('a node with all that is needed is good in everything, relay fees and estimates included', async () => {
  const findings = await survey()
  expect([...findings.values()].filter(({ verdict }) => verdict !== 'good')).toEqual([])
  expect(findings.get('client')!.text).toBe('/Satoshi:30.0.0/, 10 peers')
  expect(findings.get('pool')!.text).toBe(
    '5 transactions; least fee 0.1 sat/vB, relay 0.1 sat/vB, increment 0.1 sat/vB, dust not said; full RBF true',
  )
  expect(findings.get('fees')!.text).toBe('estimate for 2 blocks 2 sat/vB; bounds 1 to 300 sat/vB')
})

test.for<[row: string, about: string, changed: Record<string, Answer>, verdict: string, says: RegExp]>([
  // src/rpc/node.cpp getindexinfo: an index that is off is absent.
  ['row B-16: no txindex', 'txindex', { getindexinfo: () => ({}) }, 'unfit', /no index of transactions. Set txindex=1/],
  [
    'row B-16: txindex is being built',
    'txindex',
    { getindexinfo: () => ({ txindex: { synced: false, best_block_height: 12 } }) },
    'unfit',
    /at block 12. Wait/,
  ],
  [
    'row B-17: a pruned node',
    'blocks',
    {
      getblockchaininfo: () => ({ ...(CORE['getblockchaininfo']!([]) as object), pruned: true, pruneheight: 800_000 }),
    },
    'unfit',
    /kept from 800000. Set prune=0/,
  ],
  [
    'row B-17: assumeutxo still checks the chain below',
    'blocks',
    {
      getblockchaininfo: () => ({
        ...(CORE['getblockchaininfo']!([]) as object),
        background_validation: { snapshotheight: 880_000 },
      }),
    },
    'poor',
    /snapshot/,
  ],
  [
    'row B-17: undo data is gone',
    'undo data',
    { getblock: refuse(-32_603, "Undo data expected but can't be read") },
    'poor',
    /reindex-chainstate/,
  ],
  [
    'row B-17: undo data is silently missing',
    'undo data',
    { getblock: () => ({ tx: [{ vin: [{ coinbase: '' }] }, { vin: [{ txid: 'cd'.repeat(32), vout: 0 }] }] }) },
    'poor',
    /does not name the outputs that it spends/,
  ],
  // src/rpc/blockchain.cpp getblockchaininfo, "time"; src/chain.h MAX_FUTURE_BLOCK_TIME.
  [
    'a head that is three days old',
    'sync',
    { getblockchaininfo: () => ({ ...infoOf(), time: NOW / 1_000 - 3 * 86_400 }) },
    'poor',
    /4320 min old. Look at the node's peers/,
  ],
  [
    'a head of tomorrow',
    'sync',
    { getblockchaininfo: () => ({ ...infoOf(), time: NOW / 1_000 + 86_400 }) },
    'poor',
    /ahead of this machine's. Set this machine's clock/,
  ],
  [
    'a node without peers',
    'sync',
    { getnetworkinfo: () => ({ version: 300_000, subversion: '/Satoshi:30.0.0/', connections: 0, warnings: [] }) },
    'poor',
    /without a peer/,
  ],
  [
    'a chain of its own, which has neither peers nor regular blocks',
    'sync',
    {
      getnetworkinfo: () => ({ version: 300_000, subversion: '/Satoshi:30.0.0/', connections: 0, warnings: [] }),
      getblockchaininfo: () => ({ ...infoOf(), chain: 'regtest', time: NOW / 1_000 - 3 * 86_400 }),
    },
    'good',
    /block 900000/,
  ],
  [
    'row B-13: no estimate',
    'fees',
    { estimatesmartfee: () => ({ errors: ['Insufficient data or no feerate found'], blocks: 0 }) },
    'unknown',
    /Insufficient data/,
  ],
  [
    'row B-22: the pool is still being loaded',
    'pool',
    { getmempoolinfo: () => ({ ...(CORE['getmempoolinfo']!([]) as object), loaded: false }) },
    'poor',
    /being loaded/,
  ],
  [
    'row B-9: no submitpackage',
    'methods',
    { help: ([method]) => (method === 'submitpackage' ? 'help: unknown command: submitpackage' : 'x') },
    'poor',
    /no submitpackage/,
  ],
  [
    'a node that loads the chain',
    'sync',
    {
      getblockchaininfo: () => ({
        ...(CORE['getblockchaininfo']!([]) as object),
        blocks: 5,
        initialblockdownload: true,
      }),
    },
    'poor',
    /block 5 of 900000, 10 min old, still loading/,
  ],
  [
    'an old node',
    'client',
    { getnetworkinfo: () => ({ version: 240_100, subversion: '/Satoshi:24.1.0/', connections: 8, warnings: '' }) },
    'unfit',
    /25 or newer/,
  ],
  [
    'a node that warns',
    'client',
    {
      getnetworkinfo: () => ({
        version: 300_000,
        subversion: '/Satoshi:30.0.0/',
        connections: 8,
        warnings: ['This is a pre-release test build'],
      }),
    },
    'poor',
    /pre-release/,
  ],
])('%s', async ([, about, changed, verdict, says]) => {
  const finding = (await survey(changed)).get(about)!
  expect([finding.verdict, `${finding.text}. ${finding.change}`]).toEqual([verdict, expect.stringMatching(says)])
})

test('audit D-B5: watcher and worker need the index, and a whitelist that hides a method is no verdict', async () => {
  const ask = async (changed: Record<string, Answer>, role: 'watcher' | 'worker') =>
    (
      await surveyForRole(role, settingsOf(await startRpcNode({ ...CORE, ...changed })), 'BITCOIN', {
        tokens: [],
        now: NOW,
      })
    ).map(({ about, verdict }) => `${about} ${verdict}`)
  for (const role of ['watcher', 'worker'] as const)
    expect(await ask({ getindexinfo: () => ({}) }, role)).toEqual(['client good', 'blocks good', 'txindex unfit'])
  expect(await ask({ getindexinfo: refuse(-32601, 'Method not found') }, 'watcher')).toEqual([
    'client good',
    'blocks good',
    'txindex unknown',
  ])
})
