/** `bursar smoke` against a node, and against one behind a proxy that answers otherwise. */
import { expect, onTestFinished, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { useAnvil } from '../../../../test/setup/nodes.ts'
import { openEvmWorld } from '../../../../test/world/evm-node.ts'
import { startProxy, type Behaviour, type TestProxy } from '../../adapters/chains/test-proxy.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { env, file } = useInstallation()
const CHAINS = {
  ethereum: { network: 'ETHEREUM', chainId: 31_337, anvil: useAnvil(), legacyGas: false, finality: 'finalized' },
  bsc: {
    network: 'BINANCE_SMART_CHAIN',
    chainId: 31_356,
    anvil: useAnvil({ chainId: 31_356, baseFee: 0n }),
    legacyGas: true,
    finality: 4,
  },
} as const

const open = async (target: keyof typeof CHAINS) => {
  const { anvil, ...kind } = CHAINS[target]
  const { node, ...world } = await openEvmWorld(await anvil(), kind)
  onTestFinished(() => world.adapter.close())
  await world.contracts.payInside([{ to: await world.newAddress(), units: 5n }])
  await world.contracts.payToken(world.contracts.token, await world.newAddress(), 5n)
  await world.mine(1)
  const proxy = await startProxy(node.url)
  onTestFinished(() => proxy.close())
  return proxy
}

const smoke = async (target: keyof typeof CHAINS, { url }: TestProxy, ...more: string[]) => {
  const { network, chainId } = CHAINS[target]
  const on = { decimals: 18, minDeposit: '0', minWithdrawal: '0' }
  const ticker = target === 'ethereum' ? 'ETH' : 'BNB'
  const { code, out } = await captured(() =>
    runCommand(['smoke', target, ...more], {
      ...env,
      BURSAR_ASSETS_FILE: file('assets.json', {
        crypto: [{ ticker, name: ticker, networks: { [network]: on } }],
        fiat: [],
      }),
      BURSAR_NETWORKS_FILE: file('networks.json', { [network]: { url, chainId } }),
    }),
  )
  return { code, out, lines: out.split('\n').filter((line) => /^(agrees|NEW|BAD|\?)/.test(line)) }
}

/** Methods that smoke may call: none of them changes anything at a node. */
const READING = [
  'bursar_smoke',
  'debug_traceBlockByHash',
  'debug_traceTransaction',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getTransactionByHash',
  'eth_syncing',
  'web3_clientVersion',
]

test.each(['ethereum', 'bsc'] as const)('%s: a node that agrees is only read, and ends with 0', async (target) => {
  const proxy = await open(target)
  const { code, out, lines } = await smoke(target, proxy)
  expect(lines.filter((line) => !line.startsWith('agrees'))).toEqual([])
  expect(lines).toHaveLength(15)
  expect(out).toContain('good    tracers: prestateTracer answers; callTracer answers')
  expect(code).toBe(0)
  expect(proxy.asked.filter((method) => !READING.includes(method))).toEqual([])
})

test('--send sends transactions that every chain refuses', async () => {
  const proxy = await open('bsc')
  const { code, lines } = await smoke('bsc', proxy, '--send')
  expect(lines.filter((line) => line.startsWith('agrees sending: '))).toHaveLength(5)
  expect(proxy.asked.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(5)
  expect(code).toBe(0)
})

const field = (name: string) => ({ change: (result: unknown) => ({ ...(result as object), [name]: '0x1' }) })
const logsFrom = (first: number) => ({
  change: (result: unknown) =>
    (result as { logs: object[] }[]).map((receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log, at) => ({ ...log, logIndex: `0x${(first + at).toString(16)}` })),
    })),
})
const tomorrow = { refuse: { code: -39_999, message: 'a word of tomorrow' } }

test.each<[string, string, Behaviour, string]>([
  ['a field of a block', 'eth_getBlockByNumber', field('slotOfTomorrow'), 'NEW    fields of blocks: '],
  ['logs that are numbered from 3', 'eth_getBlockReceipts', logsFrom(3), 'NEW    numbers of logs: '],
  ['another word for an unknown transaction', 'eth_getTransactionByHash', tomorrow, 'NEW    unknown transaction: '],
  ['another word for a call that reverts', 'eth_call', tomorrow, 'NEW    call that reverts: '],
  [
    'a page in place of an answer',
    'eth_getBalance',
    { status: 502, body: '<html>' },
    '?      state of an unknown block',
  ],
  ['an answer that is cut', 'eth_getBlockReceipts', 'half', '?      receipts of an unknown block'],
  ['another chain', 'eth_chainId', { change: () => '0x1' }, 'BAD    chain: the node is of chain 1, and'],
])('a node that answers otherwise is shown as such: %s', async (_what, method, behaviour, line) => {
  const proxy = await open('ethereum')
  proxy.behave = (call) => (call.method === method ? behaviour : 'pass')
  const { code, lines } = await smoke('ethereum', proxy)
  expect(lines).toContainEqual(expect.stringContaining(line))
  // A request without an answer is no finding, as long as another one is answered.
  expect(code).toBe(line.startsWith('?') ? 0 : 1)
})
