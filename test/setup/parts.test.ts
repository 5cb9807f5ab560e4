import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMPUTING, slowFilesOf } from './parts.ts'

const root = join(import.meta.dirname, '..', '..')
const filesOf = (part: string | undefined): string[] => {
  const { include, exclude } = slowFilesOf(part)
  const found = include.flatMap((glob) =>
    globSync(glob, { cwd: root, exclude: (name) => name === 'node_modules' || name === '.bursar' }),
  )
  return found.filter((name) => !exclude.includes(name)).toSorted()
}

test('each slow file is in one part, and each file that computes exists', () => {
  const [computing, waiting] = [filesOf('computing'), filesOf('waiting')]
  expect(computing).toEqual([...COMPUTING].toSorted())
  expect(waiting.length).toBeGreaterThan(50)
  expect([...computing, ...waiting].toSorted()).toEqual(filesOf(undefined))
})

test('another name of a part is refused', () => {
  expect(() => slowFilesOf('both')).toThrow('BURSAR_TEST_PART is both')
})
