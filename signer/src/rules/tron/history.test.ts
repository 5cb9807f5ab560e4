import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { MINUTE, NOW, treasuryRequest, tronIntent, tronRequest, ownerOf } from '../../../../test/world/tron-requests.ts'
import { codeOf, hotKey, makeSigner, policyFile, uuid } from '../../../../test/world/signer.ts'

const policyWithSums = (maxPerHour: string): object => {
  const { TRON } = policyFile.networks
  const USDT = { ...TRON.assets.USDT, maxPerHour, maxPerDay: maxPerHour }
  return { ...policyFile, networks: { ...policyFile.networks, TRON: { ...TRON, assets: { ...TRON.assets, USDT } } } }
}

const clock = (start = NOW): { now: () => number; at: number } => {
  const hands = { at: start, now: () => hands.at }
  return hands
}

describe('one intent, one payment, on TRON', () => {
  test('the same request again gets the same answer, long after its transaction expired too', async () => {
    const hands = clock()
    const { signer } = await makeSigner({ now: hands.now })
    const request = tronRequest(tronIntent(1))
    const answer = await signer.sign(request)
    hands.at += 60 * MINUTE
    expect(await signer.sign(request)).toEqual(answer)
  })

  test('a second transaction is signed ten minutes past the expiration of the first, by the signer’s clock', async () => {
    const hands = clock()
    const { signer } = await makeSigner({ now: hands.now })
    await signer.sign(tronRequest(tronIntent(1)))
    const again = () => tronRequest(tronIntent(1), { timestamp: hands.at, expiration: hands.at + MINUTE })
    for (const waited of [1, MINUTE, 11 * MINUTE - 1]) {
      hands.at = NOW + waited
      expect(await codeOf(signer, again())).toBe('intent-already-signed')
    }
    hands.at = NOW + 11 * MINUTE
    expect(await codeOf(signer, again())).toBe('signed')
    hands.at += MINUTE
    expect(await codeOf(signer, again())).toBe('intent-already-signed')
  })

  test('every earlier transaction counts, the one that expires last too', async () => {
    const hands = clock()
    const { signer } = await makeSigner({ now: hands.now })
    await signer.sign(tronRequest(tronIntent(1), { expiration: NOW + MINUTE }))
    hands.at = NOW + 11 * MINUTE
    await signer.sign(tronRequest(tronIntent(1), { expiration: hands.at + 10 * MINUTE }))
    hands.at = NOW + 31 * MINUTE - 1
    const third = () => tronRequest(tronIntent(1), { expiration: hands.at + 2 * MINUTE })
    expect(await codeOf(signer, third())).toBe('intent-already-signed')
    hands.at += 1
    expect(await codeOf(signer, third())).toBe('signed')
  })

  test.each(['at once', 'after a start'])(
    'audit S-3: a payment signed anew %s counts again in the sums of hour and day, because the first may have been mined',
    async (when) => {
      const hands = clock()
      const policy = policyWithSums('3000000')
      let world = await makeSigner({ now: hands.now, policy })
      const again = () =>
        tronRequest(tronIntent(1, { units: '1000000' }), { timestamp: hands.at, expiration: hands.at + 1_000 })
      const answers: string[] = []
      for (let round = 0; round < 4; round += 1) {
        answers.push(await codeOf(world.signer, again()))
        hands.at += 11 * MINUTE
        if (when === 'at once') continue
        await world.log.close()
        world = await makeSigner({ now: hands.now, policy, logFile: world.logFile })
      }
      expect(answers).toEqual(['signed', 'signed', 'signed', 'velocity'])
    },
  )

  test('a start in between changes nothing', async () => {
    const hands = clock()
    const first = await makeSigner({ now: hands.now })
    await first.signer.sign(tronRequest(tronIntent(1)))
    await first.log.close()
    const { signer } = await makeSigner({ now: hands.now, logFile: first.logFile })
    expect(await codeOf(signer, tronRequest(tronIntent(1), { timestamp: NOW + 1 }))).toBe('intent-already-signed')
    expect(await codeOf(signer, tronRequest(tronIntent(1, { units: '5' })))).toBe('intent-changed')
    hands.at = NOW + 11 * MINUTE
    expect(await codeOf(signer, tronRequest(tronIntent(1), { expiration: hands.at + MINUTE }))).toBe('signed')
  })

  test('one transaction serves one intent, and a clock set back opens nothing', async () => {
    const hands = clock()
    const { signer } = await makeSigner({ now: hands.now })
    await signer.sign(tronRequest(tronIntent(1)))
    expect(await codeOf(signer, tronRequest(tronIntent(2)))).toBe('transaction-changed')
    expect(await codeOf(signer, tronRequest(tronIntent(2), { timestamp: NOW + 1 }))).toBe('signed')
    hands.at = NOW - 60 * MINUTE
    expect(await codeOf(signer, tronRequest(tronIntent(1), { expiration: hands.at + MINUTE }))).toBe(
      'intent-already-signed',
    )
  })

  test('the treasury’s transactions are no intents: two of them do not wait for each other', async () => {
    const { signer } = await makeSigner()
    const stake = { kind: 'FreezeBalanceV2Contract', owner: ownerOf(hotKey), resource: 'ENERGY' } as const
    expect(await codeOf(signer, treasuryRequest({ ...stake, amount: 1n }))).toBe('signed')
    expect(await codeOf(signer, treasuryRequest({ ...stake, amount: 2n }))).toBe('signed')
  })

  test('no two transactions of one intent can be mined by the same block, for any requests at any time', async () => {
    const ask = fc.record({
      intent: fc.integer({ min: 1, max: 2 }),
      wait: fc.integer({ min: 0, max: 8 * MINUTE }),
      life: fc.integer({ min: 1, max: 10 * MINUTE }),
      restart: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { maxLength: 20 }), async (asks) => {
        const hands = clock()
        let world = await makeSigner({ now: hands.now })
        const lives = new Map<string, { from: number; until: number }[]>()
        for (const { intent, wait, life, restart } of asks) {
          hands.at += wait
          if (restart) {
            await world.log.close()
            world = await makeSigner({ now: hands.now, logFile: world.logFile })
          }
          const request = tronRequest(tronIntent(intent), { timestamp: hands.at, expiration: hands.at + life })
          const isNew = !lives
            .get(uuid(intent))
            ?.some(({ from, until }) => from === hands.at && until === hands.at + life)
          if ((await codeOf(world.signer, request)) !== 'signed' || !isNew) continue
          lives.set(uuid(intent), [...(lives.get(uuid(intent)) ?? []), { from: hands.at, until: hands.at + life }])
        }
        for (const mine of lives.values())
          for (const [at, { from }] of mine.entries())
            for (const { until } of mine.slice(0, at)) expect(from).toBeGreaterThanOrEqual(until + 10 * MINUTE)
        await world.log.close()
      }),
      { numRuns: cases(30) },
    )
  })
})
