import * as fc from 'fast-check'
import { domainSeparator as viemSeparator, getAddress, hashTypedData, pad, toHex as toViemHex } from 'viem'
import { expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { toHex } from './hex.ts'
import { domainSeparator, transferDigest } from './typed-data.ts'

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(toHex(bytes)))
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
// viem leaves an empty version out of the domain.
const domains = fc.record({
  name: fc.string({ minLength: 1, maxLength: 40 }),
  version: fc.string({ minLength: 1, maxLength: 4 }),
  chainId: fc.bigInt({ min: 1n, max: 2n ** 40n }),
  contract: address,
})

const fields = (text: string) => text.split(',').map((one) => ({ type: one.split(' ')[0]!, name: one.split(' ')[1]! }))
const TRANSFER = fields('address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce')

test('the domain of USD Coin on Ethereum is the one its contract answers', () => {
  const usdc = {
    name: 'USD Coin',
    version: '2',
    chainId: 1n,
    contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  } as const
  expect(domainSeparator(usdc)).toBe('0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335')
})

test('digests equal the ones that viem computes for wallets', () => {
  fc.assert(
    fc.property(
      domains,
      fc.tuple(address, address),
      fc.tuple(uint, uint, uint),
      ({ contract, ...rest }, [from, to], [units, time, nonce]) => {
        const domain = { ...rest, verifyingContract: contract }
        const ours = { ...rest, contract }
        expect(domainSeparator(ours)).toBe(viemSeparator({ domain }))
        expect(toHex(transferDigest(ours, { from, to, units, validBefore: time, nonce }))).toBe(
          hashTypedData({
            domain,
            types: { TransferWithAuthorization: TRANSFER },
            primaryType: 'TransferWithAuthorization',
            message: {
              from,
              to,
              value: units,
              validAfter: 0n,
              validBefore: time,
              nonce: pad(toViemHex(nonce), { size: 32 }),
            },
          }),
        )
      },
    ),
    { numRuns: cases(100) },
  )
})
