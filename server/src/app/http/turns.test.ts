import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns, type Turns } from './turns.ts'

/** Asks for a turn by name; `through` says who has had one. */
const walkers = <Name>(turn: Turns) => {
  const through: Name[] = []
  const ask = async (name: Name): Promise<void> => {
    await turn()
    through.push(name)
  }
  return { through, ask }
}

test('simultaneous requests go through a few a turn, in their order, and none is forgotten', async () => {
  const { through, ask } = walkers<number>(createTurns(2))
  const asked = [0, 1, 2, 3, 4].map(ask)
  const counts: number[] = []
  for (let i = 0; i < 4; i += 1) {
    await Promise.resolve()
    counts.push(through.length)
    await nextTurn()
  }
  expect(counts).toEqual([2, 4, 5, 5])
  expect(through).toEqual([0, 1, 2, 3, 4])
  await Promise.all(asked)
})

test('requests after a pause need not wait, and no more of them go than before', async () => {
  const turn = createTurns(2)
  for (let i = 0; i < 3; i += 1) {
    expect([turn(), turn()]).toEqual([undefined, undefined])
    expect(turn()).toBeInstanceOf(Promise)
    for (let pause = 0; pause < 5; pause += 1) await nextTurn()
  }
})

test('waiting requests go before new ones', async () => {
  const { through, ask } = walkers<string>(createTurns(1))
  const early = [ask('a'), ask('b'), ask('c')]
  await nextTurn()
  const late = ask('d')
  await Promise.all([...early, late])
  expect(through).toEqual(['a', 'b', 'c', 'd'])
})
