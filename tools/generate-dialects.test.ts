import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dialectsDocument, disagreeingUnknowns } from './generate-dialects.ts'

const repository = (files: Readonly<Record<string, string>>): string => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-dialects-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), text)
  }
  return dir
}
const lineOf = (document: string, id: string): string =>
  document.split('\n').find((line) => line.startsWith(`| ${id} |`))!

test('a row lists the tests whose titles name it, and the doubles whose comments do', () => {
  const document = dialectsDocument(
    repository({
      'server/src/a.test.ts': "test('audit D-T5: rows T-14, T-15 and T-16 are no revert', () => {})",
      'sandbox/tron/call.ts': '// row T-14: Wallet.java',
    }),
  )
  expect(lineOf(document, 'T-14')).toMatch(/\| `sandbox\/tron\/call.ts` \| `server\/src\/a.test.ts` \| holds \|$/)
  expect(lineOf(document, 'T-16')).toMatch(/\| in the test \| `server\/src\/a.test.ts` \| holds \|$/)
  expect(lineOf(document, 'B-1')).toMatch(/\| none \| none \| open \|$/)
  expect(document).toMatch(/3 of \d+ rows have a test/)
})

test('an id that is in no table is refused', () => {
  expect(() => dialectsDocument(repository({ 'server/src/a.test.ts': "test('row T-99: nothing', () => {})" }))).toThrow(
    'rows of no dialect table: T-99',
  )
})

test('the rows that `bursar smoke` prints are rows of the document', () => {
  const root = join(import.meta.dirname, '..')
  const folder = 'server/src/adapters/chains/dialects'
  const files = [
    ...['bitcoin.ts', 'evm.ts', 'tron.ts'].map((file) => join(folder, file)),
    'server/src/app/cli/smoke-counterparties.ts',
  ]
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const named = [...text.matchAll(/'((?:[A-Z]-\d+(?:, )?)+): /g)].flatMap(([, ids]) => ids!.split(', '))
  expect(named).toEqual(expect.arrayContaining(['B-13', 'T-3', 'V-4']))
  const document = readFileSync(join(root, 'docs/dialects.md'), 'utf8')
  expect(named.filter((id) => lineOf(document, id) === undefined)).toEqual([])
  expect(text.match(/'(row |rows )?[A-Z]?\d+: /g)).toBeNull()
})

test('the page of unknowns names every row that rests on memory, and no other', () => {
  expect(disagreeingUnknowns(join(import.meta.dirname, '..'))).toEqual([])
  const page = '## Behaviour that was not checked against a source\n| B-1, E-7 |'
  const found = disagreeingUnknowns(repository({ 'docs/operating/unknowns.md': page }))
  expect(found).toContain('B-1')
  expect(found).toContain('A-18')
  expect(found).not.toContain('E-7')
})
