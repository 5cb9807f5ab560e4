import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FINDINGS } from './findings.ts'
import { auditDocument, testsByFinding, unproved } from './generate-audit.ts'

const repository = (lines: readonly string[]): string => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-audit-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'server/src'), { recursive: true })
  writeFileSync(join(dir, 'server/src/a.test.ts'), lines.join('\n'))
  return dir
}
const titled = (ids: string, name: string): string => `test('audit ${ids}: ${name}', () => {})`
const all = Object.keys(FINDINGS)

test('a test counts for every finding it is named for, however they are joined', () => {
  const found = testsByFinding(
    repository([
      titled('M-A1 D-T1', 'one'),
      titled('F-9.10, S-2', 'a | b'),
      titled('S-2', '%s holds'),
      "test('audits C-1: no')",
    ]),
  )
  expect([...found.keys()].toSorted()).toEqual(['D-T1', 'F-9.10', 'M-A1', 'S-2'])
  expect(found.get('S-2')).toEqual([
    { file: 'server/src/a.test.ts', name: 'a | b' },
    { file: 'server/src/a.test.ts', name: '%s holds' },
  ])
})

test('a finding without a test or a reason for that is refused, and an id of no finding is named', () => {
  expect(auditDocument(repository([titled([...all, 'X-1'].join(' '), 'x')]), {})).toContain(
    'Of no finding in tools/findings.ts: X-1 in `server/src/a.test.ts`.',
  )
  const but = (id: string): string => repository([titled(all.filter((one) => one !== id).join(' '), 'all | of them')])
  expect(unproved(but('S-3'))).toEqual(['S-3'])
  expect(() => auditDocument(but('S-3'), {})).toThrow('no test is named for S-3')
  expect(auditDocument(but('S-3'), { 'S-3': 'it takes a month', 'S-4': 'it has a test' })).toContain(
    `\nNot yet: S-3 (${FINDINGS['S-3']}): it takes a month.\n`,
  )
  expect(auditDocument(but('none'), {})).toContain(
    '| M-A1 | TRON: energy lent by a contract was credited as TRX | all \\| of them | `server/src/a.test.ts` |',
  )
})
