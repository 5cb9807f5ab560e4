import { describe, expect, test } from 'vitest'
import { BITCOIN_ROWS } from '../../../tools/dialects/bitcoin.ts'
import { EVM_BLOCK_ROWS } from '../../../tools/dialects/evm-blocks.ts'
import { EVM_REQUEST_ROWS } from '../../../tools/dialects/evm-requests.ts'
import { TRON_ROWS } from '../../../tools/dialects/tron.ts'
import { createRandom } from '../../../sandbox/random.ts'
import { BITCOIN_DIALECTS } from './bitcoin/dialects.ts'
import {
  answering,
  balancer,
  changing,
  chooseDialects,
  drawDialects,
  isAmong,
  refuse,
  refusing,
  speak,
  type Dialect,
  type NodeBehind,
} from './dialect.ts'
import { EVM_DIALECTS } from './evm/dialects/index.ts'
import { TRON_DIALECTS } from './tron/dialects.ts'

const node = (head: number): NodeBehind => ({
  ask: async (method) => ({ result: method }),
  askBehind: async (blocks, { method }) => ({ result: `${method} ${blocks} behind` }),
  head: async () => head,
})
const call = (method: string, ...params: unknown[]) => ({ method, params })

describe.each([
  ['BITCOIN', BITCOIN_DIALECTS, BITCOIN_ROWS],
  ['EVM', EVM_DIALECTS, [...EVM_BLOCK_ROWS, ...EVM_REQUEST_ROWS]],
  ['TRON', TRON_DIALECTS, TRON_ROWS],
] as const)('dialects of %s', (_network, dialects, rows) => {
  test('have names of their own, which name rows of docs/dialects.md', () => {
    expect(new Set(dialects.map(({ name }) => name)).size).toBe(dialects.length)
    const known = new Set(rows.map(({ id }) => id))
    const named = dialects.flatMap(({ name }) => name.match(/\b[ETB]-\d+/g) ?? [])
    expect(named.filter((id) => !known.has(id))).toEqual([])
    expect(named.length).toBeGreaterThan(10)
  })

  test('any that are drawn go together, and draws of one seed are equal', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const drawn = drawDialects(dialects, createRandom(seed), { hindering: true, blinding: true })
      expect(() => chooseDialects(dialects, drawn)).not.toThrow()
      expect(drawDialects(dialects, createRandom(seed), { hindering: true, blinding: true })).toEqual(drawn)
      const lasting = chooseDialects(dialects, drawDialects(dialects, createRandom(seed)))
      expect(lasting.filter(({ hinders, blinds }) => hinders === true || blinds === 'all')).toEqual([])
    }
  })
})

test('unknown names, and two of one aspect, are no choice', () => {
  const all: Dialect[] = [
    { name: 'a', aspect: 'one' },
    { name: 'b', aspect: 'one' },
  ]
  expect(() => chooseDialects(all, ['c'])).toThrow('there is no dialect c')
  expect(() => chooseDialects(all, ['a', 'b'])).toThrow('exclude each other')
  expect(chooseDialects(all, ['b'])).toEqual([all[1]])
})

test('dialects stand before the node in their order', async () => {
  const dialects: Dialect[] = [
    { name: 'outer', aspect: 'a', answer: changing(['x'], (result: string) => `${result} changed`) },
    { name: 'silent', aspect: 'b' },
    { name: 'inner', aspect: 'c', answer: answering(['x'], { result: 'own' }) },
    {
      name: 'words',
      aspect: 'd',
      answer: refusing(['y'], ({ code }) => (code === 1 ? refuse(2, 'other words') : undefined)),
    },
  ]
  const answer = speak(dialects, node(1), async ({ method, params }) =>
    method === 'y' ? refuse(Number(params[0]), 'words') : { result: 'node' },
  )
  expect(await answer(call('x'))).toEqual({ result: 'own changed' })
  expect(await answer(call('y', 1))).toEqual(refuse(2, 'other words'))
  expect(await answer(call('y', 3))).toEqual(refuse(3, 'words'))
  expect(await answer(call('z'))).toEqual({ result: 'node' })
})

test('a balancer asks one of two machines, always the same for the same question and head', async () => {
  const said = (head: number) =>
    Promise.all(
      Array.from({ length: 40 }, async (_, at) =>
        speak([balancer('two', 2)], node(head), async () => ({ result: 'whole' }))(call('x', at)),
      ),
    )
  const first = await said(5)
  expect(await said(5)).toEqual(first)
  expect(await said(6)).not.toEqual(first)
  expect(new Set(first.map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"result":"whole"}', '{"result":"x 2 behind"}']),
  )
})

test('a share of contents is about as large as it should be', () => {
  const share = Array.from({ length: 10_000 }, (_, at) => isAmong(String(at), 0.3)).filter(Boolean).length / 10_000
  expect(share).toBeGreaterThan(0.27)
  expect(share).toBeLessThan(0.33)
})
