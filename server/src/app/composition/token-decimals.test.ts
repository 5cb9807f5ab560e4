import pino from 'pino'
import { expect, test } from 'vitest'
import { ChainUnavailable } from '../../adapters/chains/index.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { createDecimalsCheck, surveyDecimals } from './token-decimals.ts'

const USDT = `0x${'a1'.repeat(20)}`
const USDC = `0x${'a2'.repeat(20)}`
const limits = { minDeposit: '1', minWithdrawal: '1' }
const token = (ticker: string, contract: string, decimals: number) => ({
  ticker,
  name: ticker,
  networks: { ETHEREUM: { contract, decimals, ...limits } },
})
const catalogue = createCatalogue({
  crypto: [
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, ...limits } } },
    token('USDT', USDT, 6),
    token('USDC', USDC, 6),
  ],
  fiat: [],
})
const runtime = { clock: createClock(), log: pino({ enabled: false }) }

type Stated = readonly { contract: string; decimals: number }[]
type Adapter = ReturnType<typeof createSimulatedChain>['adapter']

const asIs = (adapter: Adapter): Adapter => adapter
const unanswered = (adapter: Adapter): Adapter => ({
  ...adapter,
  tokenDecimals: () => Promise.reject(new ChainUnavailable('no answer')),
})
const adapterWith = (tokens: Stated, how = asIs): Adapter =>
  how(createSimulatedChain({ network: 'ETHEREUM', seed: 'decimals', tokens }).adapter)
const surveyWith = (tokens: Stated, how = asIs) => surveyDecimals(catalogue, 'ETHEREUM', adapterWith(tokens, how))

test('L16 a token with other decimals than its contract makes its network unfit, and is named', async () => {
  const findings = await surveyWith([
    { contract: USDT, decimals: 18 },
    { contract: USDC, decimals: 6 },
  ])
  expect(findings).toEqual([
    {
      about: 'decimals of USDT',
      verdict: 'unfit',
      text: `its contract ${USDT} has 18, and the settings have 6`,
      change: 'Correct `contract` or `decimals` in BURSAR_ASSETS_FILE',
      neededBy: ['watcher', 'worker'],
    },
    { about: 'decimals of USDC', verdict: 'good', text: '6', change: null, neededBy: [] },
  ])
})

test('a contract that does not state its decimals is poor, so that it keeps no alert about its network open', async () => {
  const findings = await surveyWith([{ contract: USDT, decimals: 6 }])
  expect(findings.map(({ verdict }) => verdict)).toEqual(['good', 'poor'])
})

test('a contract for which the node does not answer is unknown', async () => {
  const findings = await surveyWith([{ contract: USDT, decimals: 6 }], unanswered)
  expect(findings.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown'])
})

const payments = ['ETH', 'USDT', 'USDC', 'USDT'].map((ticker, id) => ({ ticker, id }))

test.each<[string, { decimals?: number; how?: typeof asIs }, string[]]>([
  ['has other decimals', { decimals: 18 }, ['ETH', 'USDC']],
  ['has the decimals of the settings', { decimals: 6 }, ['ETH', 'USDT', 'USDC', 'USDT']],
  ['states no decimals', {}, ['ETH', 'USDT', 'USDC', 'USDT']],
  ['is not shown by the node', { how: unanswered }, ['ETH']],
])('L16 of a token whose contract %s, the payments that may be sent', async (_, { decimals, how }, sent) => {
  const stated = decimals === undefined ? [] : [{ contract: USDT, decimals }]
  const check = createDecimalsCheck(runtime, catalogue, adapterWith([...stated, { contract: USDC, decimals: 6 }], how))
  expect((await check(payments)).map(({ ticker }) => ticker)).toEqual(sent)
})
