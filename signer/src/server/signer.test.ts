import { expect, test } from 'vitest'
import { readPolicy } from '../policy/policy.ts'
import type { Refusal } from '../protocol/refusal.ts'
import { fillerRequest, makeSigner, policyFile } from '../../../test/world/signer.ts'

test('more requests than may wait are refused for the moment', async () => {
  const { signer } = await makeSigner()
  const answers = Array.from({ length: 70 }, (_, nonce) => {
    try {
      return signer
        .sign(fillerRequest({ nonce: BigInt(nonce), maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }))
        .then(() => 'signed')
    } catch (error) {
      return Promise.resolve((error as Refusal).code)
    }
  })
  const codes = await Promise.all(answers)
  expect(codes.filter((code) => code === 'signed')).toHaveLength(64)
  expect(codes.filter((code) => code === 'busy')).toHaveLength(6)
})

test('a policy for another chain of Bitcoin is not taken over', async () => {
  const { signer } = await makeSigner()
  const bitcoin = { ...policyFile.networks.BITCOIN, chain: 'mainnet' }
  const policy = readPolicy(JSON.stringify({ ...policyFile, networks: { BITCOIN: bitcoin } }))
  expect(() => signer.replacePolicy(policy)).toThrow(/start the signer again/)
})
