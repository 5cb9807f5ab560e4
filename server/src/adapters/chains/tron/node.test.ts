import { describe, expect, test } from 'vitest'
import type { Timer } from '../pauses.ts'
import { createTurns } from './budget.ts'
import type { TronAdapterSettings } from './index.ts'
import { NO_RESOURCES, NOT_SERVED, SUSPENSIONS } from '../../../../../test/world/dialects/tron.ts'
import { headerOf, Reply, startScriptedNode } from '../../../../../test/world/scripted-tron-node.ts'

/** A clock that moves only while code waits. */
const fakeTimer = (): Timer & { at: number } => {
  const timer = {
    at: 0,
    now: () => timer.at,
    sleep: async (ms: number) => {
      timer.at += ms
    },
  }
  return timer
}

/** A node that gives these answers to questions for its head first. */
const start = async (first: readonly unknown[], settings: Partial<TronAdapterSettings> = {}) => {
  const left = [...first]
  const timer = fakeTimer()
  const at: number[] = []
  const node = await startScriptedNode(
    {
      'wallet/getblock': () => {
        at.push(timer.at)
        return left.shift() ?? headerOf(10)
      },
      'walletsolidity/getblock': () => headerOf(7),
    },
    { random: () => 0.5, timer, ...settings },
  )
  return { ...node, timer, at }
}

describe('audit D-T7: row T-33: a gateway that was asked too often', () => {
  test.each(SUSPENSIONS)(
    '%s: nothing is asked before the pause is over, and the key is not blamed',
    async (_who, reply, pauseMs) => {
      const { adapter, timer, at } = await start([reply])
      await expect(adapter.head()).rejects.toMatchObject({
        name: 'ChainUnavailable',
        message: expect.stringContaining('asked too often'),
      })
      // Both roots count for one key.
      await expect(adapter.finalized()).rejects.toThrow(`left alone for ${pauseMs / 1_000} s more`)
      timer.at += pauseMs - 1
      await expect(adapter.finalized()).resolves.toMatchObject({ height: 7 })
      await expect(adapter.head()).resolves.toMatchObject({ height: 10 })
      expect(at).toEqual([0, pauseMs])
    },
  )

  test('403 for another reason names the key', async () => {
    const { adapter, at } = await start([new Reply(403, '{"Error":"invalid api key"}')])
    await expect(adapter.head()).rejects.toThrow('HTTP 403: check the API key')
    expect(at).toHaveLength(1)
  })

  test('503 without such a text is asked again at once', async () => {
    const { adapter } = await start([new Reply(503, '<html>Service Unavailable</html>')])
    expect(await adapter.head()).toMatchObject({ height: 10 })
  })
})

test('audit D-T7: row T-32: java-tron without computing resources is asked again after a pause', async () => {
  const { adapter, at } = await start([NO_RESOURCES, NO_RESOURCES])
  expect(await adapter.head()).toMatchObject({ height: 10 })
  expect(at).toEqual([0, 1_000, 3_000])
})

test.each(NOT_SERVED)('audit D-T7: row T-34: HTTP 404, %s, names the setting', async (_what, reply, text) => {
  const { adapter } = await start([reply])
  await expect(adapter.head()).rejects.toThrow(text)
})

test('audit D-T7: row T-34: /walletsolidity asked where it is not served names solidityUrl', async () => {
  const { adapter, answers } = await start([])
  delete answers['walletsolidity/getblock']
  await expect(adapter.finalized()).rejects.toThrow('set `solidityUrl`')
})

test('audit D-T7: the key goes under the name that the gateway wants', async () => {
  const { adapter, headers } = await start([], { apiKey: 'secret', apiKeyHeader: 'api-key' })
  await adapter.head()
  expect(headers[0]).toMatchObject({ 'api-key': 'secret' })
  expect(headers[0]).not.toHaveProperty('tron-pro-api-key')
})

describe('audit D-T7: a budget of requests', () => {
  test('lets no more through in any second', async () => {
    const timer = fakeTimer()
    const turn = createTurns({ perSecond: 15 }, timer)
    const times: number[] = []
    for (let i = 0; i < 200; i += 1) {
      await turn()
      times.push(timer.at)
    }
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(15)
    expect(timer.at).toBeLessThan(20_000)
  })

  test('lets no more through in a day, spread over it', async () => {
    const timer = fakeTimer()
    const turn = createTurns({ perDay: 2_400 }, timer)
    let count = 0
    while (timer.at < 24 * 3_600_000) {
      const gone = await turn().then(
        () => true,
        () => false,
      )
      count += gone ? 1 : 0
      if (!gone) timer.at += 10_000
    }
    expect(count).toBeLessThanOrEqual(2_401)
    expect(count).toBeGreaterThan(2_300)
    await turn().catch(() => {})
    await expect(turn()).rejects.toThrow('requestsPerDay')
  })

  test('without one nothing waits', async () => {
    const timer = fakeTimer()
    const turn = createTurns({}, timer)
    for (let i = 0; i < 100; i += 1) await turn()
    expect(timer.at).toBe(0)
  })
})
