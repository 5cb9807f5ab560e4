import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FAULTS } from './faults.ts'
import { faultsDocument, testsByFault } from './generate-faults.ts'

const repository = (names: readonly string[]): string => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-faults-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'server/src'), { recursive: true })
  writeFileSync(join(dir, 'server/src/a.test.ts'), names.map((name) => `test('${name}', () => {})`).join('\n'))
  return dir
}

test('a test named for several faults counts for each, and a figure in a sentence is no id', () => {
  const found = testsByFault(repository(['E7 E8 is stuck', 'the E18 constant', 'B1', 'audit M-B5: D4 is unknown']))
  expect([...found.keys()]).toEqual(['E7', 'E8', 'D4'])
  expect(found.get('E8')).toEqual([{ file: 'server/src/a.test.ts', name: 'is stuck' }])
})

test('a fault without a test is named', () => {
  const all = Object.keys(FAULTS)
  const document = (ids: readonly string[]) => faultsDocument(repository(ids.map((id) => `${id} is met`)))
  expect(document(all)).toContain('| T6 |')
  expect(() => document(all.slice(1))).toThrow(`no test is named for ${all[0]}:`)
})
