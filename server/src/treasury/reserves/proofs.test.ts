/** Proofs of the server, verified by the merchants' program: the SDK reads and hashes by code of its own. */
import { generateKeyPairSync } from 'node:crypto'
import { ReserveProofError, verifyReserveProof } from '@bursar/sdk'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { proofFile, proofFiles, reportFile, signReport, type ProofFile } from './files.ts'
import { commitmentOf, hashStatement, parentOf } from './hashing.ts'
import { depthFor, FORMAT, type Statement } from './statement.ts'
import type { Report } from './store.ts'
import { buildTree, type Balances } from './tree.ts'

const SECRET = Buffer.alloc(32, 7)
const ASSETS = [
  ['BTC', 8],
  ['USDT', 18],
] as const

const reportOf = (leaves: readonly Balances[], change: Partial<Statement> = {}): Report => {
  const assets = ASSETS.map(([ticker, scale], i) => ({
    ticker,
    scale,
    liabilities: String(leaves.reduce((sum, { units }) => sum + units[i]!, 0n)),
    suspense: '0',
    quarantine: '0',
    inTransit: '0',
    reserves: [],
  }))
  const statement = JSON.stringify({
    format: FORMAT,
    id: 'r',
    takenAt: '2026-01-01T00:00:00.000Z',
    merchants: leaves.length,
    assets,
    ...change,
  })
  const { root } = buildTree(statement, SECRET, leaves, ASSETS.length)
  return {
    id: 'r',
    statement,
    secret: SECRET,
    commitment: commitmentOf(hashStatement(statement), root).toString('hex'),
    publicKey: null,
    signature: null,
  }
}
const check = (proof: unknown, merchantId: string, more: object = {}) =>
  verifyReserveProof(JSON.stringify(proof), { merchantId, ...more })
const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof ReserveProofError) return error.code
    throw error
  }
  return 'holds'
}

const balance = fc.bigInt({ min: 0n, max: 10n ** 60n })
const merchants = fc
  .uniqueArray(fc.uuid(), { minLength: 1, maxLength: 40 })
  .chain((ids) =>
    fc.tuple(...ids.map((id) => fc.record({ merchantId: fc.constant(id), units: fc.tuple(balance, balance) }))),
  )
const some = fc
  .tuple(merchants, fc.nat())
  .map(([leaves, n]) => ({ leaves: leaves as Balances[], chosen: (leaves as Balances[])[n % leaves.length]! }))
const proven = some.map(({ leaves, chosen }) => ({
  leaves,
  chosen,
  proof: proofFile(reportOf(leaves), leaves, chosen.merchantId)!,
}))

test('a tree by hand: the format is the documented one', () => {
  const leaves = [
    { merchantId: 'aa', units: [1n, 2n] },
    { merchantId: 'bb', units: [2n, 10n ** 30n] },
    { merchantId: 'cc', units: [3n, 4n] },
  ]
  const report = reportOf(leaves)
  // Made by an independent program (Python's hashlib) from docs/integrating/reserves.md.
  expect(report.commitment).toBe('5a787c71dd7e8606568818557d5f88c5640e1f2fd0ca8e10cdede1cf19f0bc21')
  expect(reportFile(report, leaves).root).toEqual({
    hash: '99c632cded11b02cd724173606b4c470881a71dbc5edef33f282a4729e76dc88',
    sums: ['6', '1000000000000000000000000000006'],
  })
  expect(leaves.map(({ merchantId }) => proofFile(report, leaves, merchantId)!.position)).toEqual([1, 2, 0])
})

describe('proven facts', () => {
  test('every merchant is in the total, and the total is the sum of all', () => {
    fc.assert(
      fc.property(merchants, (all) => {
        const leaves = all as Balances[]
        const report = reportOf(leaves)
        const proofs = [...proofFiles(report, leaves, null)]
        expect(proofs.map(({ merchantId }) => merchantId).toSorted()).toEqual(
          leaves.map(({ merchantId }) => merchantId).toSorted(),
        )
        for (const proof of proofs) {
          const verified = check(proof, proof.merchantId, { commitment: report.commitment })
          expect(verified.merchants).toBe(leaves.length)
          verified.assets.forEach(({ liabilities }, i) =>
            expect(liabilities).toBe(leaves.reduce((sum, { units }) => sum + units[i]!, 0n)),
          )
        }
        expect(new Set(proofs.map(({ position }) => position)).size).toBe(leaves.length)
      }),
      { numRuns: cases(40) },
    )
  })

  test('the tree is only as deep as it has to be', () => {
    expect([0, 1, 2, 3, 4, 5, 1024, 1025, 2 ** 20].map(depthFor)).toEqual([0, 0, 1, 2, 2, 3, 10, 11, 20])
  })
})

describe('detected faults', () => {
  /** Every place of the file that holds a text or a number, changed in one way. */
  const places = (value: unknown, at: (string | number)[] = []): (string | number)[][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => places(inner, [...at, key]))
      : value === null
        ? []
        : [at]
  const changed = (value: unknown, seed: number): unknown => {
    if (typeof value === 'number') return value + 1 + (seed % 3)
    const text = String(value)
    if (text === '') return '0'
    const i = seed % text.length
    const other = text[i] === '1' ? '2' : '1'
    return text.slice(0, i) + other + text.slice(i + 1)
  }
  const setAt = (
    file: ProofFile,
    place: readonly (string | number)[],
    change: (value: unknown) => unknown,
  ): unknown => {
    const copy = structuredClone(file) as unknown as Record<string, unknown>
    const inner = place.slice(0, -1).reduce((node, key) => node[key] as Record<string, unknown>, copy)
    inner[place.at(-1)!] = change(inner[place.at(-1)!])
    return copy
  }

  test('any changed digit of the statement, leaf, salt, place, sums, hashes, root or commitment', () => {
    fc.assert(
      fc.property(proven, fc.nat(), fc.nat(), ({ proof, chosen }, where, how) => {
        const all = places(proof)
        const place = all[where % all.length]!
        const altered = setAt(proof, place, (value) => changed(value, how))
        expect(
          codeOf(() => check(altered, chosen.merchantId)),
          `${place.join('.')} changed`,
        ).not.toBe('holds')
      }),
      { numRuns: cases(600) },
    )
  })

  test('a path that is cut, longer, or in another order', () => {
    fc.assert(
      fc.property(proven, fc.nat(), ({ proof, chosen }, n) => {
        fc.pre(proof.path.length >= 2)
        const i = n % (proof.path.length - 1)
        const swapped = proof.path.with(i, proof.path[i + 1]!).with(i + 1, proof.path[i]!)
        fc.pre(JSON.stringify(swapped) !== JSON.stringify(proof.path))
        for (const path of [proof.path.slice(1), proof.path.slice(0, -1), [...proof.path, proof.path[0]!], swapped]) {
          expect(codeOf(() => check({ ...proof, path }, chosen.merchantId))).not.toBe('holds')
        }
      }),
      { numRuns: cases(60) },
    )
  })

  test('a merchant left out: no proof of theirs leads to the total, with any leaf and path of others', () => {
    fc.assert(
      fc.property(some, fc.nat(), ({ leaves, chosen }, n) => {
        fc.pre(leaves.length > 1)
        const without = leaves.filter((one) => one !== chosen)
        const report = reportOf(without)
        expect(proofFile(report, without, chosen.merchantId)).toBeUndefined()
        const other = without[n % without.length]!
        const stolen = proofFile(report, without, other.merchantId)!
        expect(codeOf(() => check(stolen, chosen.merchantId))).toBe('merchant')
        expect(codeOf(() => check({ ...stolen, merchantId: chosen.merchantId }, chosen.merchantId))).toBe('root')
      }),
      { numRuns: cases(60) },
    )
  })

  test('a merchant halved: the proof says so, and their own books refuse it', () => {
    const leaves = [
      { merchantId: 'a', units: [100_000_000n, 10n ** 18n] },
      { merchantId: 'b', units: [1n, 1n] },
    ]
    const halved = [{ merchantId: 'a', units: [50_000_000n, 10n ** 18n] }, leaves[1]!]
    const proof = proofFile(reportOf(halved), halved, 'a')!
    expect(check(proof, 'a').balances).toEqual([
      { ticker: 'BTC', value: '0.5' },
      { ticker: 'USDT', value: '1' },
    ])
    expect(codeOf(() => check(proof, 'a', { expected: { BTC: '1', USDT: '1' } }))).toBe('balance')
    expect(codeOf(() => check({ ...proof, balances: ['100000000', String(10n ** 18n)] }, 'a'))).toBe('sum')
    const honest = proofFile(reportOf(leaves), leaves, 'a')!
    expect(codeOf(() => check(honest, 'a', { expected: { BTC: '01.00', USDT: '1.0' } }))).toBe('holds')
    expect(codeOf(() => check(honest, 'a', { expected: { BTC: '1' } }))).toBe('balance')
    expect(codeOf(() => check(honest, 'a', { expected: { BTC: '1', USDT: '1', ETH: '1' } }))).toBe('balance')
  })

  test("Maxwell's flaw: the same total split otherwise between two siblings is another node", () => {
    const hash = (byte: number) => Buffer.alloc(32, byte)
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 30n }), (left, right) => {
        const whole = parentOf({ hash: hash(1), sums: [left] }, { hash: hash(2), sums: [right] })
        const moved = parentOf({ hash: hash(1), sums: [left - 1n] }, { hash: hash(2), sums: [right + 1n] })
        expect(moved.sums).toEqual(whole.sums)
        expect(moved.hash.equals(whole.hash)).toBe(false)
      }),
    )
    // As a cheat would try it: a sibling shown with less, and the difference put back one level higher.
    const leaves = ['a', 'b', 'c', 'd'].map((merchantId) => ({ merchantId, units: [10n, 10n] }))
    const proof = proofFile(reportOf(leaves), leaves, 'a')!
    const [first, second] = proof.path
    const shifted = [
      { ...first!, sums: ['9', '10'] },
      { ...second!, sums: ['21', '20'] },
    ]
    expect(codeOf(() => check({ ...proof, path: shifted }, 'a'))).toBe('root')
  })

  test('negative and overflowing sums, in a leaf, beside the path, or by adding up', () => {
    const leaves = [
      { merchantId: 'a', units: [1n, 1n] },
      { merchantId: 'b', units: [1n, 1n] },
    ]
    const proof = proofFile(reportOf(leaves), leaves, 'a')!
    const beside = (sum: string) => ({ ...proof, path: [{ ...proof.path[0]!, sums: [sum, '1'] }] })
    for (const sum of ['-1', '+1', '1e3', '0x1', '01', ' 1', '1.0', '', '9'.repeat(79)])
      expect(codeOf(() => check(beside(sum), 'a'))).toBe('malformed')
    const most = (1n << 256n) - 1n
    expect(codeOf(() => check(beside(String(most)), 'a'))).toBe('sum')
    expect(codeOf(() => check(beside(String(most + 1n)), 'a'))).toBe('sum')
    expect(() => reportOf([{ merchantId: 'a', units: [-1n, 0n] }])).toThrow("can't be proven")
    expect(() =>
      reportOf([
        { merchantId: 'a', units: [most, 0n] },
        { merchantId: 'b', units: [1n, 0n] },
      ]),
    ).toThrow("can't be proven")
  })

  test('a leaf or a padding shown as a node, one merchant twice, and a proof of another report', () => {
    const leaves = [
      { merchantId: 'a', units: [1n, 1n] },
      { merchantId: 'b', units: [1n, 1n] },
      { merchantId: 'c', units: [2n, 2n] },
    ]
    expect(() => reportOf([leaves[0]!, leaves[0]!])).toThrow('two leaves')
    const proof = proofFile(reportOf(leaves), leaves, 'a')!
    const later = reportOf(leaves, { takenAt: '2026-02-01T00:00:00.000Z' })
    expect(codeOf(() => check({ ...proof, statement: later.statement, commitment: later.commitment }, 'a'))).toBe(
      'root',
    )
    expect(codeOf(() => check(proof, 'a', { commitment: later.commitment }))).toBe('commitment')
  })

  test('a tree declared smaller or larger than it is', () => {
    const leaves = ['a', 'b', 'c', 'd', 'e'].map((merchantId) => ({ merchantId, units: [1n, 1n] }))
    for (const merchants of [1, 2, 4, 9]) {
      const report = reportOf(leaves, { merchants })
      expect(codeOf(() => check(proofFile(report, leaves, 'a')!, 'a'))).toBe('path')
    }
    const other = reportOf(leaves, {
      assets: ASSETS.map(([ticker, scale]) => ({
        ticker,
        scale,
        liabilities: '4',
        suspense: '0',
        quarantine: '0',
        inTransit: '0',
        reserves: [],
      })),
    })
    expect(codeOf(() => check(proofFile(other, leaves, 'a')!, 'a'))).toBe('sum')
  })

  test('a text that is no proof is refused as malformed', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        expect(codeOf(() => verifyReserveProof(text, { merchantId: 'a' }))).toBe('malformed')
      }),
    )
  })
})

describe('the signer of a report', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const leaves = [{ merchantId: 'a', units: [1n, 1n] }]
  const unsigned = reportOf(leaves)
  const signed = signReport(privateKey, unsigned.commitment)
  const proof = proofFile({ ...unsigned, ...signed }, leaves, 'a')!

  test('holds by the right key, and by no other', () => {
    expect(check(proof, 'a', { publicKey: signed.publicKey }).signedBy).toBe(signed.publicKey)
    const other = signReport(generateKeyPairSync('ed25519').privateKey, unsigned.commitment)
    expect(codeOf(() => check(proof, 'a', { publicKey: other.publicKey }))).toBe('signature')
    expect(codeOf(() => check({ ...proof, signed: { ...signed, signature: other.signature } }, 'a'))).toBe('signature')
    expect(codeOf(() => check({ ...proof, signed: null }, 'a', { publicKey: signed.publicKey }))).toBe('signature')
    expect(codeOf(() => check({ ...proof, signed: { ...signed, publicKey: 'ff'.repeat(32) } }, 'a'))).toBe('signature')
  })

  test('only Ed25519 keys sign', () => {
    expect(() =>
      signReport(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, unsigned.commitment),
    ).toThrow('Ed25519')
  })
})

test('a leaf does not show its merchant, and another report names it otherwise', () => {
  const leaves = [
    { merchantId: 'a', units: [1n, 1n] },
    { merchantId: 'b', units: [1n, 1n] },
  ]
  const report = reportOf(leaves)
  const other = { ...report, secret: Buffer.alloc(32, 8) }
  expect(proofFile(report, leaves, 'a')!.path[0]!.hash).not.toBe(proofFile(other, leaves, 'a')!.path[0]!.hash)
  expect(JSON.stringify(proofFile(report, leaves, 'a'))).not.toContain('"b"')
  expect(JSON.stringify(reportFile(report, leaves))).not.toContain('salt')
})
