import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import type { Intent } from '../protocol/protocol.ts'
import {
  codeOf,
  depositKey,
  evmRequest,
  fillerRequest,
  intentOf,
  makeSigner,
  uuid,
} from '../../../test/world/signer.ts'

describe('one intent, one payment', () => {
  test('the same request again gets the same answer, and the log does not grow', async () => {
    const { signer, log } = await makeSigner()
    const request = evmRequest(intentOf(1))
    const answer = await signer.sign(request)
    const { length } = log
    expect(await signer.sign({ ...request, transactionId: uuid(99) })).toEqual(answer)
    expect(log.length).toBe(length)
  })

  test('a replacement with the same nonce is signed, one with another nonce or key is not', async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(1), { maxFeePerGas: 23n * 10n ** 9n }))).toBe('signed')
    expect(await codeOf(signer, evmRequest(intentOf(1), { nonce: 1n }))).toBe('intent-already-signed')
    expect(await codeOf(signer, evmRequest(intentOf(1), {}, { keys: [depositKey(0)] }))).toBe('intent-already-signed')
  })

  test.each<[string, Partial<Intent>]>([
    ['amount', { units: '1000001' }],
    ['destination', { to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' }],
    ['asset', { asset: 'ETH', units: '1000' }],
  ])("an intent's %s never changes", async (_name, change) => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(1, change)))).toBe('intent-changed')
  })

  test("an intent's network never changes", async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(
      await codeOf(signer, { ...evmRequest(intentOf(1), { chainId: 31356n }), network: 'BINANCE_SMART_CHAIN' }),
    ).toBe('intent-changed')
  })

  test('one transaction does not serve two intents', async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(2)))).toBe('transaction-changed')
  })

  test('equal transactions of two keys are two transactions', async () => {
    const { signer } = await makeSigner()
    const [first, second] = [
      await signer.sign(evmRequest(intentOf(1), {}, { keys: [depositKey(1)] })),
      await signer.sign(evmRequest(intentOf(2), {}, { keys: [depositKey(2)] })),
    ]
    expect(first.hash).not.toBe(second.hash)
    expect(await codeOf(signer, evmRequest(intentOf(1), {}, { keys: [depositKey(2)] }))).toBe('transaction-changed')
  })

  test('a nonce serves one intent, or fillers', async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(2), { gas: 99_000n }))).toBe('nonce-used')
    expect(await codeOf(signer, fillerRequest())).toBe('signed')
    expect(await codeOf(signer, evmRequest(intentOf(2), { gas: 99_000n }))).toBe('nonce-used')
    expect(await codeOf(signer, evmRequest(intentOf(1), { gas: 99_000n }))).toBe('signed')
    expect(await codeOf(signer, fillerRequest({ nonce: 1n }))).toBe('signed')
    expect(await codeOf(signer, evmRequest(intentOf(2), { nonce: 1n }))).toBe('nonce-used')
    expect(await codeOf(signer, fillerRequest({ nonce: 1n, gas: 21_001n }))).toBe('signed')
  })

  test('a start in between changes nothing', async () => {
    const first = await makeSigner()
    const request = evmRequest(intentOf(1))
    const answer = await first.signer.sign(request)
    await first.log.close()
    const { signer } = await makeSigner({ logFile: first.logFile })
    expect(await signer.sign(request)).toEqual(answer)
    expect(await codeOf(signer, evmRequest(intentOf(1), { nonce: 1n }))).toBe('intent-already-signed')
    expect(await codeOf(signer, evmRequest(intentOf(2), { gas: 99_000n }))).toBe('nonce-used')
    expect(await codeOf(signer, evmRequest(intentOf(1, { units: '5' })))).toBe('intent-changed')
  })

  test('no two transactions that can both confirm pay one intent, for any requests in any order', async () => {
    const ask = fc.record({
      intent: fc.integer({ min: 1, max: 3 }),
      nonce: fc.bigInt({ min: 0n, max: 2n }),
      gas: fc.bigInt({ min: 90_000n, max: 91_000n }),
      key: fc.nat({ max: 1 }),
      filler: fc.boolean(),
      restart: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { maxLength: 25 }), async (asks) => {
        let world = await makeSigner()
        const paid = new Map<string, Set<string>>()
        const served = new Map<string, Set<string>>()
        for (const { intent, nonce, gas, key, filler, restart } of asks) {
          if (restart) {
            await world.log.close()
            world = await makeSigner({ logFile: world.logFile })
          }
          const request = filler
            ? fillerRequest({ nonce, gas }, depositKey(key))
            : evmRequest(intentOf(intent), { nonce, gas }, { keys: [depositKey(key)] })
          if ((await codeOf(world.signer, request)) !== 'signed' || filler) continue
          const slot = `${key}:${nonce}`
          paid.set(uuid(intent), new Set([...(paid.get(uuid(intent)) ?? []), slot]))
          served.set(slot, new Set([...(served.get(slot) ?? []), uuid(intent)]))
        }
        for (const slots of paid.values()) expect(slots.size).toBe(1)
        for (const intents of served.values()) expect(intents.size).toBe(1)
        await world.log.close()
      }),
      { numRuns: cases(25) },
    )
  })
})
