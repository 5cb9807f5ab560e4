import { expect, test } from 'vitest'
import { DEFAULT_BITCOIN_POLICY } from '../../chain/transactions/index.ts'
import { DEFAULT_WATCHER_SETTINGS } from '../../chain/watcher/index.ts'
import { DEFAULT_DEPOSIT_POLICY } from '../../pay-in/deposits/index.ts'
import { DEFAULT_CONSOLIDATION_POLICY } from '../../treasury/consolidation/index.ts'
import { DEFAULT_SWEEP_POLICY } from '../../treasury/sweeps/index.ts'
import { mostHotAddresses, readPolicies, STANDARD_POLICIES } from './policy.ts'

test('a value that a file leaves out keeps its default', () => {
  expect(readPolicies({ ETHEREUM: {}, BITCOIN: { sending: {} } })).toEqual(STANDARD_POLICIES)
  expect(STANDARD_POLICIES).toMatchObject({
    deposits: DEFAULT_DEPOSIT_POLICY,
    watch: DEFAULT_WATCHER_SETTINGS,
    consolidation: DEFAULT_CONSOLIDATION_POLICY,
    sweep: { TRON: DEFAULT_SWEEP_POLICY },
    sending: { BITCOIN: DEFAULT_BITCOIN_POLICY },
    treasury: { TRON: { signWithinMs: 86_400_000, runwayDays: 3 } },
  })
})

test('amounts and times are numbers or digits', () => {
  const policies = readPolicies({
    BITCOIN: {
      confirmations: { kind: 'tiers', tiers: [{ belowUsd: '100', confirmations: 1 }], otherwise: '12' },
      sending: { batchWaitMs: '60000', maxFee: 700_000, patientRate: '3000' },
      consolidation: { smallUnits: '500000', leastCoins: '50', enabled: false },
    },
    ETHEREUM: {
      watch: { pollMs: '250', startHeight: 7 },
      sending: { hotAddresses: 64 },
      sweep: { maxGasPrice: 30, kPerMille: '5000' },
      hot: { ETH: { cap: '20000000000000000000', target: 5, cold: '0xc01d' } },
    },
  })
  expect(policies.deposits.BITCOIN.confirmations).toEqual({
    kind: 'tiers',
    tiers: [{ belowUsd: 100n, confirmations: 1 }],
    otherwise: 12,
  })
  expect(policies.sending.BITCOIN).toMatchObject({ batchWaitMs: 60_000, maxFee: 700_000n, patientRate: 3_000n })
  expect(policies.consolidation).toMatchObject({ smallUnits: 500_000n, leastCoins: 50, enabled: false })
  expect(policies.watch.ETHEREUM).toMatchObject({ pollMs: 250, startHeight: 7 })
  expect(policies.sweep.ETHEREUM).toMatchObject({ maxGasPrice: 30n, kPerMille: 5_000n })
  expect(policies.treasury.ETHEREUM.hot.get('ETH')).toEqual({
    cap: 20_000_000_000_000_000_000n,
    target: 5n,
    low: 0n,
    slack: 0n,
    cold: '0xc01d',
  })
  expect(mostHotAddresses(policies)).toBe(64)
})

test.each([
  [{ DOGE: {} }, 'DOGE is unknown: there are BITCOIN, ETHEREUM'],
  [{ ETHEREUM: { consolidation: {} } }, 'ETHEREUM.consolidation: leave it out: ETHEREUM has no coins to join'],
  [{ BITCOIN: { sweep: {} } }, 'BITCOIN.sweep: leave it out: BITCOIN has no sweeps'],
  [{ TRON: { sending: { hotAddresses: 2 } } }, 'TRON.sending.hotAddresses: write 1'],
  [
    { ETHEREUM: { sending: { hotAddresses: '65' } } },
    'ETHEREUM.sending.hotAddresses: write a whole number from 1 to 64',
  ],
  [{ ETHEREUM: { signWithinMs: 1 } }, 'ETHEREUM.signWithinMs: write a whole number from 600000 to 86400000'],
  [{ ETHEREUM: { hot: { ETH: { cap: 1, target: 2 } } } }, 'ETHEREUM.hot.ETH.target: it is above cap'],
  [{ ETHEREUM: { hot: { ETH: { cap: 3, target: 2, low: 3 } } } }, 'ETHEREUM.hot.ETH.low: it is above target'],
  [{ ETHEREUM: { hot: { ETH: { cap: 1 } } } }, 'ETHEREUM.hot.ETH.target is missing'],
  [{ BITCOIN: { confirmations: { kind: 'soon' } } }, 'BITCOIN.confirmations.kind: write one of final, tiers'],
  [
    { BITCOIN: { confirmations: { kind: 'tiers', tiers: [{}] } } },
    'BITCOIN.confirmations.tiers[0].belowUsd is missing',
  ],
  [{ BITCOIN: { confirmations: { kind: 'final', otherwise: 1 } } }, 'BITCOIN.confirmations.otherwise is unknown'],
  [{ BITCOIN: { consolidation: { enabled: 'no' } } }, 'BITCOIN.consolidation.enabled: write true or false'],
  [{ BITCOIN: { consolidation: { percentile: 101 } } }, 'percentile: write a number from 0 to 100'],
  [{ BITCOIN: { watch: { pollMs: -1 } } }, 'BITCOIN.watch.pollMs: write a whole number above 0'],
  [{ BITCOIN: { sending: { maxFees: 1 } } }, 'BITCOIN.sending.maxFees is unknown: did you mean maxFee?'],
])('%j is refused with its place', (json, problem) => {
  expect(() => readPolicies(json)).toThrow(problem)
})
