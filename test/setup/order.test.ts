import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LONGEST, longestFirst } from './order.ts'

const root = join(import.meta.dirname, '..', '..')
const file = (name: string, project: 'unit' | 'system' | 'slow') => ({
  moduleId: join(root, name),
  project: { name: project },
})
const namesOf = (files: readonly { moduleId: string }[]): string[] =>
  files.map(({ moduleId }) => moduleId.slice(root.length + 1))

test('the simulation starts first, then other slow files, and those of one process last', () => {
  expect(existsSync(join(root, LONGEST))).toBe(true)
  const first = 'test/crash/sweeps.slow.test.ts'
  const [unit, system, slow] = ['a/a.test.ts', 'a/a.system.test.ts', 'a/a.slow.test.ts']
  const files = [file(unit, 'unit'), file(system, 'system'), file(slow, 'slow'), file(first, 'slow')]
  expect(namesOf(longestFirst([...files, file(LONGEST, 'slow')]))).toEqual([LONGEST, first, slow, system, unit])
})

test('files that share a sandbox are spread among all slow files, and none is left out', () => {
  const slow = globSync(['{sandbox,server,signer,tools}/**/*.slow.test.ts', 'test/**/*.slow.test.ts'], {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  })
  const order = namesOf(longestFirst(slow.map((name) => file(name, 'slow'))))
  expect(order.toSorted()).toEqual(slow.toSorted())
  const turns = order.flatMap((name, at) =>
    /^test\/(system|crash)\//.test(name) && readFileSync(join(root, name), 'utf8').includes('useSharedSandbox()')
      ? [at]
      : [],
  )
  expect(turns.length).toBeGreaterThan(1)
  const between = Math.floor((slow.length - turns.length) / turns.length)
  expect(between).toBeGreaterThan(1)
  for (const [at, place] of turns.slice(1).entries()) expect(place - turns[at]!).toBe(between + 1)
})

test('a run without shared sandboxes has all its files', () => {
  const names = ['a/a.system.test.ts', 'a/b.system.test.ts']
  expect(namesOf(longestFirst(names.map((name) => file(name, 'system'))))).toEqual(names)
})
