import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { finderOf, hasTest } from '../../tools/sabotage/check.ts'
import { GAPS, MATRIX, SENDING, SIGNER } from './matrix.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const sources = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/(^|\/)test-|\.test\.ts$/.test(file),
)

/** Every `pause('NAME')` of the source, once each. */
const points = [
  ...new Set(
    sources.flatMap((file) =>
      [...read(`server/src/${file}`).matchAll(/\bpause(?:\?\.)?\('([a-z-]+)'\)/g)].map(([, name]) => name!),
    ),
  ),
].toSorted()

test('every pause point of the source has a test that kills there, and every row names a point', () => {
  expect(points.length).toBeGreaterThan(50)
  expect([...new Set(MATRIX.flatMap((cells) => cells.points))].toSorted()).toEqual(points)
  expect(GAPS.flatMap((gap) => gap.points).filter((point) => !points.includes(point))).toEqual([])
})

test('no pause point has a name that is computed, which this table would not see', () => {
  const computed = sources.filter((file) => /\bpause(?:\?\.)?\((?!['")]|name\b|ms\b)/.test(read(`server/src/${file}`)))
  // They add the name of the network to the names of points.
  expect(computed.toSorted()).toEqual(['app/composition/money-out.ts', 'app/composition/watchers.ts'])
})

test('every purpose of transactions is killed at every point of sending', () => {
  const [, union] = /export type Purpose = ([^\n]+)/.exec(read('server/src/chain/transactions/transaction.ts'))!
  const purposes = [...union!.matchAll(/'([a-z]+)'/g)].map(([, name]) => name!)
  const sent = MATRIX.filter(({ purpose }) => purpose !== undefined)
  // A transfer to cold storage is a gap.
  expect([...new Set(sent.map(({ purpose }) => purpose as string)), 'cold'].toSorted()).toEqual(purposes.toSorted())
  const incomplete = sent.filter((cells) => SENDING.some((point) => !cells.points.includes(point)))
  expect(incomplete.map(({ operation }) => operation)).toEqual([])
})

test('every test of the table exists, and kills at the points that it is named for', () => {
  const wrong = MATRIX.flatMap(({ operation, test: finder, points: named }) => {
    const { file, title } = finderOf({ name: operation, finder })
    if (!existsSync(join(root, file))) return [`${operation}: there is no ${file}`]
    const text = read(file)
    if (!hasTest(text, title)) return [`${operation}: ${file} has no test "${title}"`]
    // Some read the points of a module from its source.
    const readsPoints = /pause\\\(/.test(text)
    return named
      .filter((point) => !readsPoints && !text.includes(point))
      .map((point) => `${operation}: ${file} does not kill at ${point}`)
  })
  expect(wrong).toEqual([])
  for (const finder of SIGNER) {
    const { file, title } = finderOf({ name: 'signer', finder })
    expect(hasTest(read(file), title), finder).toBe(true)
  }
})

test('nothing in the signer waits or ends because of a setting', () => {
  const files = readdirSync(join(root, 'signer/src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(^|\/)test-|\.test\.ts$/.test(file),
  )
  const found = files.filter((file) =>
    /SANDBOX|\bpause\('|process\.kill\(process\.pid/.test(read(`signer/src/${file}`)),
  )
  expect(found).toEqual([])
})
