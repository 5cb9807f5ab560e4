import { CREATE2_DEPLOYER, sweepContracts } from '@bursar/chainkit/evm'
import type { Hex } from '@bursar/chainkit/evm'
import { expect, test } from 'vitest'
import { contracts, plainSweep } from './test-sweep.ts'
import { STRANGER, depositKey, hotKey, refusalOf } from '../../../../test/world/signer.ts'

const deploy = (data: Hex, more: object = {}): ReturnType<typeof plainSweep> =>
  plainSweep({ to: CREATE2_DEPLOYER, data, ...more }, [hotKey])

test('each contract of sweeps may be deployed by a hot wallet', async () => {
  for (const { deployment } of Object.values(contracts)) expect(await refusalOf(deploy(deployment.data))).toBe('signed')
})

test('nothing else may: another treasury, another salt, coin with it, more keys, a deposit address', async () => {
  const { data } = contracts.delegate.deployment
  expect(await refusalOf(deploy(sweepContracts(STRANGER).delegate.deployment.data))).toBe('unknown-output')
  expect(await refusalOf(deploy(`0x01${data.slice(4)}`))).toBe('unknown-output')
  expect(await refusalOf(deploy(data, { value: 1n }))).toBe('amount-mismatch')
  expect(await refusalOf(plainSweep({ to: CREATE2_DEPLOYER, data }, [hotKey, depositKey(1)]))).toBe('key-mismatch')
  expect(await refusalOf(plainSweep({ to: CREATE2_DEPLOYER, data }, [depositKey(1)]))).toBe('unknown-asset')
})
