/** The gate of single-step mode: one exchange at a time, in the order of their contents. */
import { expect, test } from 'vitest'
import { createGate } from './gate.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const noLocks = async (): Promise<number> => 0

test('exchanges go on one at a time, in the order of their contents and not of their arrival', async () => {
  const gate = createGate(noLocks)
  const [order, open]: [string[], Set<string>] = [[], new Set()]
  const exchange = async (content: string): Promise<void> => {
    const end = await gate.enter(content)
    open.add(content)
    expect(open.size).toBe(1)
    order.push(content)
    for (let turns = 0; turns < 20; turns += 1) await nextTurn()
    open.delete(content)
    end()
  }
  await Promise.all(['c', 'a', 'b'].map(exchange))
  expect(order).toEqual(['a', 'b', 'c'])
})

test('the port of a counterparty has no part in the order', async () => {
  const gate = createGate(noLocks)
  const order: string[] = []
  const exchange = async (content: string): Promise<void> => {
    const end = await gate.enter(content)
    order.push(content)
    end()
  }
  const contents = ['http://127.0.0.1:2000/b', 'http://127.0.0.1:3000/a']
  await Promise.all(contents.map(exchange))
  expect(order).toEqual(contents.toReversed())
})

test('another exchange goes on while the one before it waits for a lock of PostgreSQL', async () => {
  let locks = 0
  const gate = createGate(async () => locks)
  const held = await gate.enter('held')
  const other = gate.enter('other')
  expect(await Promise.race([other, nextTurn().then(() => undefined)])).toBeUndefined()
  locks = 1
  const end = await other
  end()
  held()
  await gate.rest()
})

test('the gate rests once none goes on', async () => {
  const gate = createGate(noLocks)
  const end = gate.hold()
  let isResting = false
  const resting = gate.rest().then(() => (isResting = true))
  for (let turns = 0; turns < 50; turns += 1) await nextTurn()
  expect(isResting).toBe(false)
  end()
  end()
  await resting
})
