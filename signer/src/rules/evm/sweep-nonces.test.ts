import { parseTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { readPolicy } from '../../policy/policy.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import { movedContracts, movedPolicy, plainSweep, sweepRequest } from './test-sweep.ts'
import type { SweepPlan } from './test-sweep.ts'
import { codeOf, depositKey, evmRequest, fillerRequest, intentOf, makeSigner } from '../../../../test/world/signer.ts'

const first: SweepPlan = {
  accounts: [1, 2],
  authorize: [
    [1, 0n],
    [2, 0n],
  ],
}

describe('one nonce, one end', () => {
  const again = (nonce: bigint, senderNonce = 1n): SignRequest =>
    sweepRequest({ accounts: [1], authorize: [[1, nonce]], call: { nonce: senderNonce } })
  const direct = (nonce: bigint): SignRequest => plainSweep({ nonce, value: 1n, gas: 21_000n }, [depositKey(1)])

  test('a second authorisation is refused, unless it conflicts with the first', async () => {
    const { signer } = await makeSigner()
    expect(await codeOf(signer, again(0n, 0n))).toBe('signed')
    expect(await codeOf(signer, again(1n))).toBe('authorization')
    expect(await codeOf(signer, again(0n))).toBe('signed')
  })

  test('a second authorisation is given where the first may have lost its nonce', async () => {
    const { signer } = await makeSigner()
    await signer.sign(again(0n, 0n))
    await signer.sign(direct(0n))
    expect(await codeOf(signer, again(2n))).toBe('authorization')
    expect(await codeOf(signer, again(1n))).toBe('signed')
    expect(await codeOf(signer, again(2n, 2n))).toBe('authorization')
  })

  test('after transactions of its own an address authorises at the next nonce', async () => {
    const { signer } = await makeSigner()
    await signer.sign(direct(0n))
    expect(await codeOf(signer, again(2n))).toBe('authorization')
    expect(await codeOf(signer, again(1n))).toBe('signed')
  })

  test('when the treasury has moved, the old delegate is refused and the new one given, at the same nonce or the next', async () => {
    const { signer } = await makeSigner()
    await signer.sign(again(0n, 0n))
    signer.replacePolicy(readPolicy(JSON.stringify(movedPolicy)))
    expect(await codeOf(signer, again(1n))).toBe('destination-mismatch')
    const moved = (nonce: bigint, senderNonce: bigint): SignRequest =>
      sweepRequest({
        accounts: [1],
        authorize: [[1, nonce]],
        call: { nonce: senderNonce },
        alter: (draft) => ({
          ...draft,
          authorizations: draft.authorizations.map((one) => ({ ...one, delegate: movedContracts.delegate.address })),
        }),
      })
    expect(await codeOf(signer, moved(0n, 1n))).toBe('signed')
    expect(await codeOf(signer, moved(1n, 2n))).toBe('authorization')
  })

  test('a payment and an authorisation never share a nonce', async () => {
    const { signer } = await makeSigner()
    const payout = (number: number, nonce: bigint): SignRequest =>
      evmRequest(intentOf(number), { nonce }, { keys: [depositKey(1)] })
    await signer.sign(payout(1, 0n))
    expect(await codeOf(signer, again(0n))).toBe('nonce-used')
    await signer.sign(again(1n))
    expect(await codeOf(signer, payout(2, 1n))).toBe('nonce-used')
    expect(await codeOf(signer, fillerRequest({ nonce: 1n }, depositKey(1)))).toBe('signed')
  })

  test('a payment and a sweep never share a nonce of the hot wallet', async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, sweepRequest(first))).toBe('nonce-used')
    await signer.sign(sweepRequest({ ...first, call: { nonce: 1n } }))
    expect(await codeOf(signer, evmRequest(intentOf(2), { nonce: 1n }))).toBe('nonce-used')
  })

  test('nonces of authorisations are remembered over a restart', async () => {
    const { signer, log, logFile } = await makeSigner()
    await signer.sign(again(0n, 0n))
    await log.close()
    const later = await makeSigner({ logFile })
    expect(await codeOf(later.signer, again(1n))).toBe('authorization')
    expect(await codeOf(later.signer, evmRequest(intentOf(2), {}, { keys: [depositKey(1)] }))).toBe('nonce-used')
  })

  test('the other chain, with the same keys, is asked for by itself', async () => {
    const { signer } = await makeSigner()
    await signer.sign(again(0n, 0n))
    const there = sweepRequest({
      accounts: [1],
      authorize: [[1, 0n]],
      call: { chainId: 31_356n },
      request: { network: 'BINANCE_SMART_CHAIN' },
    })
    const { signed } = await signer.sign(there)
    const [{ chainId } = { chainId: 0 }] = parseTransaction(signed as `0x04${string}`).authorizationList ?? []
    expect(chainId).toBe(31_356)
  })
})
