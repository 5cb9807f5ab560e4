import { concatHex, getContractAddress, keccak256, pad, zeroHash } from 'viem'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import delegate from '../../contracts/artifacts/SweepDelegate.json' with { type: 'json' }
import { CREATE2_DEPLOYER, delegateOfCode, sweepContracts } from './contracts.ts'

const TREASURY = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

describe('the contracts of sweeps', () => {
  test('are where viem says that CREATE2 puts them', () => {
    const { address, deployment } = sweepContracts(TREASURY).delegate
    const bytecode = concatHex([delegate.bytecode as Hex, pad(TREASURY)])
    expect(address).toBe(getContractAddress({ opcode: 'CREATE2', from: CREATE2_DEPLOYER, salt: zeroHash, bytecode }))
    expect(deployment).toEqual({ to: CREATE2_DEPLOYER, data: concatHex([zeroHash, bytecode]).toLowerCase() })
  })

  test('hold the treasury wherever the compiler left a placeholder for it', () => {
    const { code, codeHash } = sweepContracts(TREASURY).delegate
    expect(codeHash).toBe(keccak256(code))
    expect(code.split(TREASURY.slice(2).toLowerCase()).length - 1).toBe(delegate.immutables.length)
    expect(code).toHaveLength(delegate.runtime.length)
  })

  test('differ for another treasury, except the batch, which has no treasury', () => {
    const [one, other] = [sweepContracts(TREASURY), sweepContracts(OTHER)]
    expect(one.delegate.address).not.toBe(other.delegate.address)
    expect(one.relay.address).not.toBe(other.relay.address)
    expect(one.batch).toEqual(other.batch)
  })

  test('are not built for an invalid address', () => {
    expect(() => sweepContracts('0x1234')).toThrow(RangeError)
  })
})

test.each([
  ['0x', undefined],
  ['0x6001', undefined],
  [`0xef0100${TREASURY.slice(2).toLowerCase()}`, TREASURY],
  [`0xef0200${TREASURY.slice(2).toLowerCase()}`, undefined],
  [`0xef0100${TREASURY.slice(2).toLowerCase()}00`, undefined],
])('the code %s delegates to %s', (code, address) => {
  expect(delegateOfCode(code)).toBe(address)
})
