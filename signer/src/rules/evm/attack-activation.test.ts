/** Attack: an activation with a policy by which no money can leave the first seed. */
import { SECOND_SEED } from '@bursar/chainkit'
import { expect, test } from 'vitest'
import { hotKey, policyFile, twoSeeds } from '../../../../test/world/signer.ts'
import { readPolicy } from '../../policy/policy.ts'
import { requireRotatable } from '../rotation.ts'

const { ETHEREUM } = policyFile.networks
const treasury = twoSeeds.evmAddress({ ...hotKey, index: SECOND_SEED })
const policyWith = (sweep: object): string =>
  JSON.stringify({ ...policyFile, networks: { ETHEREUM: { ...ETHEREUM, sweep: { ...ETHEREUM.sweep, treasury, ...sweep } } } })

test('an activation is refused while sweeps are switched off', () => {
  requireRotatable(twoSeeds, readPolicy(policyWith({ enabled: true })))
  expect(() => requireRotatable(twoSeeds, readPolicy(policyWith({ enabled: false })))).toThrow('sweep')
})
