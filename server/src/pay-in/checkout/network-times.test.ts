import { expect, test } from 'vitest'
import { NETWORKS } from '@bursar/chainkit'
import { DEFAULT_DEPOSIT_POLICY } from '../deposits/index.ts'
import { usualWait } from './network-times.ts'

test('the usual wait follows the rule of the network, in whole minutes', () => {
  expect(usualWait('BITCOIN', DEFAULT_DEPOSIT_POLICY)).toEqual({ least: 10, most: 60 })
  expect(usualWait('TRON', DEFAULT_DEPOSIT_POLICY)).toEqual({ least: 1, most: 1 })
  const tiers = { kind: 'tiers', tiers: [{ belowUsd: 100n, confirmations: 12 }], otherwise: 100 } as const
  const policy = { ...DEFAULT_DEPOSIT_POLICY, ETHEREUM: { confirmations: tiers, goneAfterMs: 1 } }
  expect(usualWait('ETHEREUM', policy)).toEqual({ least: 3, most: 20 })
  for (const network of NETWORKS) expect(usualWait(network, DEFAULT_DEPOSIT_POLICY).least).toBeGreaterThanOrEqual(1)
})
