/** A few of each kind, and answers that the oracles must complain about. */
import { expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { createDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'
import { temporaryFolder } from '../setup/temporary.ts'
import { GROUPS } from './cases/index.ts'
import type { Answer } from './connection.ts'
import { createOpenFiles } from './files.ts'
import { contractFaultsOf, faultsOf } from './oracles/answers.ts'
import { fuzz } from './run.ts'

test('A13 requests of every group violate nothing', async () => {
  const database = await createDatabase({ template: migrated })
  try {
    const result = await fuzz({
      seed: 'npm test',
      requests: 700,
      databaseUrl: database.url,
      dir: temporaryFolder('fuzz'),
    })
    expect(result.problems).toEqual([])
    expect([...result.counts.keys()].toSorted()).toEqual(GROUPS.map(({ name }) => name).toSorted())
    expect(result.accepted).toBeGreaterThan(0)
  } finally {
    await database.drop()
  }
})

const NOSNIFF = { 'x-content-type-options': 'nosniff' }
const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { ...NOSNIFF, 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from(JSON.stringify(body)),
})
const page = (text: string): Answer => ({
  status: 200,
  headers: { ...NOSNIFF, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" },
  body: Buffer.from(text),
})

test.each([
  ['a failure of ours', json(503, { code: 107, description: 'try again' })],
  ['a refusal without a description', json(400, { code: 100 })],
  ['a body that is no JSON', { ...json(200, []), body: Buffer.from('{') }],
  ['a script of the sender', page('<p><script>fuzz</script></p>')],
])('%s is a fault of an answer', (_name, answer) => {
  expect(faultsOf(answer)).toHaveLength(1)
})

test('an answer that the contract does not have is a fault', () => {
  const balances = operations.find(({ id }) => id === 'listBalances')!
  expect(contractFaultsOf(balances, json(200, [{ value: '1', ticker: 'BTC' }]))).toEqual([])
  expect(contractFaultsOf(balances, json(200, [{ value: '1.0', ticker: 'BTC' }]))).toHaveLength(1)
  expect(contractFaultsOf(balances, json(400, { code: 8, description: 'Destination refused' }))).toHaveLength(1)
})

const fileRequest = (merchant: string): Buffer[] => [
  Buffer.from(`GET /merchants/lists/deposits?format=csv HTTP/1.1\r\nHost: a\r\nmerchant-id: ${merchant}\r\n\r\n`),
]
const tooMany = (): Answer => {
  const answer = json(429, { code: 105, description: 'wait' })
  return { ...answer, headers: { ...answer.headers, 'retry-after': '10' } }
}

test('a file may be refused as too many only if its merchant had five open at one moment', () => {
  const files = createOpenFiles()
  const first = Array.from({ length: 4 }, () => files.begin(fileRequest('a')))
  expect(files.begin(fileRequest('b')).faultsOf([tooMany()])).toHaveLength(1)
  expect(first[0]!.faultsOf([tooMany()])).toHaveLength(1)
  expect(first[0]!.faultsOf([json(400, { code: 100, description: 'no' })])).toBeUndefined()
  const fifth = files.begin(fileRequest('a'))
  expect([first[0]!, fifth].map((one) => one.faultsOf([tooMany()]))).toEqual([[], []])
  expect(fifth.faultsOf([json(429, { code: 105, description: 'without Retry-After' })])).toHaveLength(1)
  for (const one of [...first, fifth]) one.end()
  expect(files.begin(fileRequest('a')).faultsOf([tooMany()])).toHaveLength(1)
})
