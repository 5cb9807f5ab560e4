import { expect, test } from 'vitest'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { surveyDecimals } from './token-decimals.ts'

const USDT = `0x${'a1'.repeat(20)}`
const USDC = `0x${'a2'.repeat(20)}`
const limits = { minDeposit: '1', minWithdrawal: '1' }
const token = (ticker: string, contract: string, decimals: number) => ({
  ticker,
  name: ticker,
  networks: { ETHEREUM: { contract, decimals, ...limits } },
})
const surveyWith = (stated: readonly { contract: string; decimals: number }[]) =>
  surveyDecimals(
    createCatalogue({
      crypto: [
        { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, ...limits } } },
        token('USDT', USDT, 6),
        token('USDC', USDC, 6),
      ],
      fiat: [],
    }),
    'ETHEREUM',
    createSimulatedChain({ network: 'ETHEREUM', seed: 'decimals', tokens: stated }).adapter,
  )

test('L16 a token with other decimals than its contract makes its network unfit, and is named', async () => {
  const findings = await surveyWith([
    { contract: USDT, decimals: 18 },
    { contract: USDC, decimals: 6 },
  ])
  expect(findings).toEqual([
    {
      about: 'decimals of USDT',
      standing: 'unfit',
      text: `its contract ${USDT} has 18, and the settings have 6`,
      change: 'Correct `contract` or `decimals` in BURSAR_ASSETS_FILE',
      neededBy: ['watcher', 'worker'],
    },
    { about: 'decimals of USDC', standing: 'good', text: '6', change: null, neededBy: [] },
  ])
})

test('a contract that does not answer is unknown', async () => {
  const findings = await surveyWith([{ contract: USDT, decimals: 6 }])
  expect(findings.map(({ standing }) => standing)).toEqual(['good', 'unknown'])
})
