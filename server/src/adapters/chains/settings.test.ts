import { describe, expect, test } from 'vitest'
import {
  createAdapters,
  identityOf,
  nodeNameOf,
  nodesOf,
  quorumOf,
  readChainSettings,
  type ChainSettings,
} from './index.ts'
import { bitcoinSettingsOf, chainOfGenesis, evmSettingsOf, tronSettingsOf } from './settings.ts'

const MAINNET = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const TRON_MAINNET = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'
const GOOD = {
  BITCOIN: {
    url: 'http://user:password@127.0.0.1:8332',
    genesis: MAINNET,
    finalDepth: 3,
    feeCapMilliSatPerVb: '200000',
  },
  ETHEREUM: { url: 'https://node.example/key', chainId: 1 },
  BINANCE_SMART_CHAIN: {
    url: 'http://127.0.0.1:8545',
    chainId: 56,
    finality: 15,
    legacyGas: true,
    gasPriceFloor: '50000000',
    traces: 'off',
  },
  TRON: {
    url: 'http://127.0.0.1:8090',
    solidityUrl: 'http://127.0.0.1:8091',
    genesis: TRON_MAINNET,
    apiKey: 'key',
    internalTransactions: true,
  },
}

describe('the file of networks', () => {
  test('makes an adapter for each, which must be of the chain it names', async () => {
    const settings = readChainSettings(GOOD)
    const adapters = createAdapters(settings, new Map())
    expect([...adapters].map(([network, adapter]) => [network, adapter.network])).toEqual(
      Object.keys(GOOD).map((name) => [name, name]),
    )
    expect([...adapters.keys()].map((network) => identityOf(settings, network))).toEqual([
      MAINNET,
      '1',
      '56',
      TRON_MAINNET,
    ])
    expect(await adapters.get('BINANCE_SMART_CHAIN')!.capabilities()).toEqual({ mempool: false, traces: false })
    expect(await adapters.get('TRON')!.capabilities()).toEqual({ mempool: false, traces: true })
    await Promise.all([...adapters.values()].map((adapter) => adapter.close()))
  })

  test('has default bounds of fees', () => {
    expect(bitcoinSettingsOf({ url: 'http://a', genesis: MAINNET }).fees).toEqual({ floor: 100n, cap: 300_000n })
    expect(evmSettingsOf('ETHEREUM', { ...GOOD.ETHEREUM, gasPriceFloor: '7', gasPriceCap: '7' })).toMatchObject({
      gasPriceFloor: 7n,
      gasPriceCap: 7n,
    })
  })

  /**
   * BSC's nodes and validators take no less than 0.05 gwei (node-real/bsc-erigon#773, chainflip-eth-contracts#535);
   * geth's default tip is 0.001 gwei (miner.DefaultConfig).
   */
  test.for([
    ['ETHEREUM', 10_000_000n],
    ['BINANCE_SMART_CHAIN', 50_000_000n],
  ] as const)(
    'audit D-E8: the lowest price is that of the network, for any type of transaction: %s',
    ([network, gasPriceFloor]) => {
      for (const legacyGas of [undefined, false, true]) {
        expect(
          evmSettingsOf(network, { url: 'http://a', chainId: 1, ...(legacyGas !== undefined && { legacyGas }) }),
        ).toMatchObject({ gasPriceFloor, gasPriceCap: 500n * 10n ** 9n })
      }
    },
  )

  test('audit D-T7: of TRON bounds requests where there is an API key, as the settings say', () => {
    const { url, genesis } = GOOD.TRON
    expect(tronSettingsOf({ url, genesis })).toMatchObject({ budget: { perSecond: undefined, perDay: undefined } })
    expect(tronSettingsOf({ url, genesis, apiKey: 'key' })).toMatchObject({
      budget: { perSecond: 15, perDay: undefined },
    })
    const given = readChainSettings({
      TRON: { url, genesis, apiKey: 'key', apiKeyHeader: 'api-key', requestsPerSecond: 30, requestsPerDay: 500_000 },
    })
    expect(tronSettingsOf(given.TRON!)).toMatchObject({
      apiKeyHeader: 'api-key',
      budget: { perSecond: 30, perDay: 500_000 },
    })
  })

  test('of TRON holds that a node records nothing that contracts send, unless it is said to', () => {
    const { url, genesis } = GOOD.TRON
    expect(tronSettingsOf({ url, genesis })).toMatchObject({ url, internalTransactions: false })
  })

  test('names further nodes, which share the settings of the network, and not the key of the first', () => {
    const { TRON, ETHEREUM } = readChainSettings({
      TRON: { ...GOOD.TRON, furtherNodes: [{ url: 'http://b:1', requestsPerSecond: 3 }] },
      ETHEREUM: { ...GOOD.ETHEREUM, traces: 'off', furtherNodes: [{ url: 'http://b:2' }, { url: 'http://c:2' }] },
    })
    const settings = { TRON, ETHEREUM } as ChainSettings
    const { genesis, internalTransactions } = GOOD.TRON
    expect(nodesOf(settings, 'TRON').map((one) => one.TRON)).toEqual([
      GOOD.TRON,
      { url: 'http://b:1', requestsPerSecond: 3, genesis, internalTransactions },
    ])
    expect(nodesOf(settings, 'ETHEREUM').map((one) => nodeNameOf(one, 'ETHEREUM'))).toEqual([
      'node.example',
      'b:2',
      'c:2',
    ])
    expect(nodesOf(settings, 'ETHEREUM')[2]!.ETHEREUM).toEqual({ url: 'http://c:2', chainId: 1, traces: 'off' })
    expect([quorumOf(settings, 'TRON'), quorumOf(settings, 'ETHEREUM')]).toEqual([2, 2])
    expect(quorumOf(readChainSettings(GOOD), 'BITCOIN')).toBe(1)
  })

  test('may leave networks out', () => {
    expect([...createAdapters(readChainSettings({}), new Map()).keys()]).toEqual([])
  })

  test.for([
    [[], /the file: write a JSON object/],
    [{ DOGECOIN: {} }, /DOGECOIN is unknown: there are BITCOIN, ETHEREUM/],
    [{ TRON: { url: 'http://a' } }, /TRON\.genesis is missing: write the hash of block 0/],
    [{ TRON: { ...GOOD.TRON, solidityUrl: 'a:1' } }, /TRON\.solidityUrl: write an http\(s\) address/],
    [{ TRON: { ...GOOD.TRON, internalTransactions: 'yes' } }, /TRON\.internalTransactions: write true or false/],
    [{ TRON: { ...GOOD.TRON, apiKey: '' } }, /TRON\.apiKey: write a text/],
    [{ TRON: { ...GOOD.TRON, chainId: 1 } }, /TRON\.chainId is unknown/],
    [{ BITCOIN: null }, /BITCOIN: write a JSON object/],
    [{ BITCOIN: { ...GOOD.BITCOIN, url: 'ftp://a' } }, /BITCOIN\.url: write an http\(s\) address/],
    [{ BITCOIN: { ...GOOD.BITCOIN, genesis: 'main' } }, /BITCOIN\.genesis: write the hash of block 0/],
    [{ BITCOIN: { ...GOOD.BITCOIN, finalDepth: 0 } }, /BITCOIN\.finalDepth: write a whole number above 0/],
    [
      { BITCOIN: { ...GOOD.BITCOIN, feeFloorMilliSatPerVb: 1000 } },
      /feeFloorMilliSatPerVb: write a whole number written as a string/,
    ],
    [
      { BITCOIN: { ...GOOD.BITCOIN, password: 'x' } },
      /BITCOIN\.password is unknown: there are url, furtherNodes, quorum, genesis/,
    ],
    [{ ETHEREUM: { ...GOOD.ETHEREUM, quorum: 2 } }, /ETHEREUM\.quorum: it is above the number of nodes, 1/],
    [
      { TRON: { ...GOOD.TRON, furtherNodes: [{ url: 'http://b', quorum: 1 }] } },
      /TRON\.furtherNodes\[0\]\.quorum is unknown/,
    ],
    [{ ETHEREUM: { ...GOOD.ETHEREUM, chainId: '1' } }, /ETHEREUM\.chainId: write a whole number above 0/],
    [{ ETHEREUM: { ...GOOD.ETHEREUM, leastFinalDepth: 0 } }, /ETHEREUM\.leastFinalDepth: write a whole number above 0/],
    [
      { ETHEREUM: { ...GOOD.ETHEREUM, finality: 12, leastFinalDepth: 3 } },
      /leastFinalDepth: it goes with the finality "finalized"/,
    ],
    [{ TRON: { ...GOOD.TRON, apiKeyHeader: 'two words' } }, /TRON\.apiKeyHeader: write the name of an HTTP header/],
    [{ TRON: { ...GOOD.TRON, requestsPerDay: 0.5 } }, /TRON\.requestsPerDay: write a whole number above 0/],
    [
      { ETHEREUM: { ...GOOD.ETHEREUM, finality: 'safe' } },
      /ETHEREUM\.finality: write "finalized", or a whole number above 0/,
    ],
    [{ ETHEREUM: { ...GOOD.ETHEREUM, traces: true } }, /ETHEREUM\.traces: write "auto" or "off"/],
    [
      { BITCOIN: { ...GOOD.BITCOIN, feeFloorMilliSatPerVb: '200001' } },
      /feeFloor\w+ \(200001\) is above feeCap\w+ \(200000\)/,
    ],
    [{ ETHEREUM: { ...GOOD.ETHEREUM, gasPriceCap: '9999999' } }, /gasPriceFloor \(10000000\) is above gasPriceCap/],
    [{ ETHEREUM: { ...GOOD.ETHEREUM, gasPriceCap: '1e9' } }, /gasPriceCap: write a whole number written as a string/],
  ] as const)('%j is refused', ([json, message]) => {
    expect(() => readChainSettings(json)).toThrow(message)
  })

  test('has every problem listed at once', () => {
    const wrong = () => readChainSettings({ BITCOIN: { url: 'x' }, ETHEREUM: { url: 'x', chainId: -1 } })
    for (const place of ['BITCOIN.url', 'BITCOIN.genesis', 'ETHEREUM.url', 'ETHEREUM.chainId'])
      expect(wrong).toThrow(place)
  })

  test('recognises by the genesis block how addresses are written', () => {
    const regtest = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'
    const testnet3 = '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943'
    expect([MAINNET, regtest, testnet3].map(chainOfGenesis)).toEqual(['mainnet', 'regtest', 'testnet'])
  })
})
