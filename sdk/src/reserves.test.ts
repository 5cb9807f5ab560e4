import { describe, expect, test } from 'vitest'
import { ReserveProofError, verifyReserveProof } from './index.ts'
import { commitmentHash, leafNode, parentNode, statementHash } from './reserves-tree.ts'

/**
 * Made by a program of another language from docs/integrating/reserves.md: three merchants, of whom this is the second.
 */
const PROOF = `{"statement": "{\\"format\\":\\"bursar-reserves-1\\",\\"id\\":\\"r\\",\\"takenAt\\":\\"2026-01-01T00:00:00.000Z\\",\\"merchants\\":3,\\"assets\\":[{\\"ticker\\":\\"BTC\\",\\"scale\\":8,\\"liabilities\\":\\"6\\",\\"suspense\\":\\"0\\",\\"quarantine\\":\\"0\\",\\"inTransit\\":\\"0\\",\\"reserves\\":[]},{\\"ticker\\":\\"USDT\\",\\"scale\\":18,\\"liabilities\\":\\"1000000000000000000000000000006\\",\\"suspense\\":\\"0\\",\\"quarantine\\":\\"0\\",\\"inTransit\\":\\"0\\",\\"reserves\\":[]}]}", "root": {"hash": "99c632cded11b02cd724173606b4c470881a71dbc5edef33f282a4729e76dc88", "sums": ["6", "1000000000000000000000000000006"]}, "commitment": "5a787c71dd7e8606568818557d5f88c5640e1f2fd0ca8e10cdede1cf19f0bc21", "signed": null, "merchantId": "bb", "salt": "faad1e3e2d2e2f1d0ac41a1919df1fe688955597c33b71ba828c8c3bc3d54d65", "position": 2, "balances": ["2", "1000000000000000000000000000000"], "path": [{"hash": "7efafb5861458987dcd85f801e0bb173cb393ebb15d0cb6991e86a3c47b7d732", "sums": ["0", "0"]}, {"hash": "fad962d6bf1b916013f1a839e8871b4b9f4c386ca995e1692cd6e53d2fe77221", "sums": ["4", "6"]}]}`
const COMMITMENT = '5a787c71dd7e8606568818557d5f88c5640e1f2fd0ca8e10cdede1cf19f0bc21'

const refusal = (file: string, checks: Partial<Parameters<typeof verifyReserveProof>[1]> = {}): string => {
  try {
    verifyReserveProof(file, { merchantId: 'bb', ...checks })
  } catch (error) {
    if (error instanceof ReserveProofError) return error.code
    throw error
  }
  return 'holds'
}

test('a proof from another implementation verifies, and its total is returned', () => {
  const verified = verifyReserveProof(PROOF, {
    merchantId: 'bb',
    commitment: COMMITMENT.toUpperCase(),
    expected: { BTC: '0.00000002', USDT: '1000000000000' },
  })
  expect(verified).toMatchObject({
    reportId: 'r',
    takenAt: '2026-01-01T00:00:00.000Z',
    commitment: COMMITMENT,
    signedBy: null,
    merchants: 3,
    balances: [
      { ticker: 'BTC', value: '0.00000002' },
      { ticker: 'USDT', value: '1000000000000' },
    ],
    assets: [
      { ticker: 'BTC', liabilities: 6n },
      { ticker: 'USDT', liabilities: 10n ** 30n + 6n },
    ],
  })
})

test('a proof of another merchant, of another report, or of other balances does not', () => {
  expect(refusal(PROOF, { merchantId: 'aa' })).toBe('merchant')
  expect(refusal(PROOF, { commitment: 'ab'.repeat(32) })).toBe('commitment')
  expect(refusal(PROOF, { publicKey: 'ab'.repeat(32) })).toBe('signature')
  expect(refusal(PROOF, { expected: { BTC: '0.00000002' } })).toBe('balance')
  expect(refusal(PROOF.replace('"balances": ["2"', '"balances": ["1"'))).toBe('sum')
  expect(refusal(PROOF.replace('"position": 2', '"position": 3'))).toBe('path')
  expect(refusal(PROOF.replace('"position": 2', '"position": 1'))).toBe('root')
  expect(refusal(PROOF.slice(0, -1))).toBe('malformed')
})

test('an invalid amount in `expected` is an error of the caller', () => {
  expect(() => verifyReserveProof(PROOF, { merchantId: 'bb', expected: { BTC: '1e3' } })).toThrow(RangeError)
})

describe('a sum that no balance can have has no node, so that no operator can build a tree around it', () => {
  const statement = statementHash('s')
  const most = (1n << 256n) - 1n
  const leaf = (sums: bigint[]) => leafNode(statement, { merchantId: 'm', salt: Buffer.alloc(32), sums })

  test.each([-1n, most + 1n])('%s in a leaf', (sum) => {
    expect(leaf([0n, most])).toBeDefined()
    expect(leaf([0n, sum])).toBeUndefined()
  })

  test('in a sibling, a parent, or the root', () => {
    const [small, large] = [leaf([1n])!, leaf([most])!]
    expect(parentNode(leaf([0n])!, large)).toBeDefined()
    expect(parentNode(small, large)).toBeUndefined()
    expect(parentNode(small, { hash: large.hash, sums: [-1n] })).toBeUndefined()
    expect(parentNode({ hash: large.hash, sums: [-1n] }, small)).toBeUndefined()
    expect(commitmentHash(statement, { hash: large.hash, sums: [most + 1n] })).toBeUndefined()
  })
})
