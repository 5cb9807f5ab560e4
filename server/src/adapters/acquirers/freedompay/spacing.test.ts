import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createSpacing } from './spacing.ts'

const full = () => new Error('full')

describe('calls to one account', () => {
  test('go one at a time, with the pause between them, in the order they came', async () => {
    const spacing = createSpacing({ ms: 40, onFull: full })
    const times: { name: number; start: number; end: number }[] = []
    await Promise.all(
      [1, 2, 3, 4].map((name) =>
        spacing.question(async () => {
          const start = performance.now()
          await sleep(15)
          times.push({ name, start, end: performance.now() })
        }),
      ),
    )
    expect(times.map(({ name }) => name)).toEqual([1, 2, 3, 4])
    for (const [index, one] of times.entries())
      if (index > 0) expect(one.start - times[index - 1]!.end).toBeGreaterThan(38)
  })

  test('that place an order go before queries', async () => {
    const spacing = createSpacing({ ms: 1, onFull: full })
    const order: string[] = []
    const run = (name: string, isOrder: boolean) =>
      spacing[isOrder ? 'order' : 'question'](async () => void order.push(name))
    await Promise.all([
      run('first', false),
      run('ask', false),
      run('pay', true),
      run('ask again', false),
      run('pay again', true),
    ])
    expect(order).toEqual(['first', 'pay', 'pay again', 'ask', 'ask again'])
  })

  test("that fail don't stop the others", async () => {
    const spacing = createSpacing({ ms: 1, onFull: full })
    const failed = spacing.question(() => Promise.reject(new Error('no')))
    const after = spacing.question(async () => 7)
    await expect(failed).rejects.toThrow('no')
    expect(await after).toBe(7)
    expect(await spacing.question(async () => 8)).toBe(8)
  })

  test('are not taken without end', async () => {
    const spacing = createSpacing({ ms: 0, onFull: full })
    let finish = (): void => {}
    const first = spacing.question(() => new Promise<void>((resolve) => (finish = resolve)))
    const waiting = Array.from({ length: 200 }, () => spacing.question(async () => 1))
    await expect(spacing.question(async () => 1)).rejects.toThrow('full')
    finish()
    await first
    expect((await Promise.all(waiting)).length).toBe(200)
  })

  test('that order something do not wait without end, and are not begun then', async () => {
    const spacing = createSpacing({ ms: 0, longestWaitMs: 30, onFull: full })
    let begun = 0
    const slow = spacing.question(() => sleep(80))
    const late = spacing.order(async () => void (begun += 1))
    const patient = spacing.question(async () => 'asked')
    await expect(late).rejects.toThrow('full')
    expect([await patient, begun]).toEqual(['asked', 0])
    await slow
  })
})
