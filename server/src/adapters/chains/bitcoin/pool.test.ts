/**
 * Reading the pool of a node, played by a table of transactions: what `getrawmempool` and `getrawtransaction` of
 * Bitcoin Core answer.
 */
import { createHash } from 'node:crypto'
import { addressOf } from '@bursar/chainkit/bitcoin'
import { expect, test } from 'vitest'
import type { Rpc, RpcCall } from '../rpc.ts'
import { readPool } from './pool.ts'

const sha = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
const little = (n: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntLE(n, 0, Math.min(size, 6))
  return bytes
}
const count = (n: number): Buffer => {
  if (n < 253) return little(n, 1)
  return n < 65_536
    ? Buffer.concat([Buffer.from([253]), little(n, 2)])
    : Buffer.concat([Buffer.from([254]), little(n, 4)])
}
const hashOf = (name: string): string => sha(Buffer.from(name)).toString('hex')
const p2wpkh = (byte: string): string => `0014${byte.repeat(20)}`

/** A transaction that spends the first output of each of these and pays one script. */
const made = (parents: readonly string[], script: string): { hash: string; hex: string } => {
  const inputs = parents.map((txid) =>
    Buffer.concat([Buffer.from(txid, 'hex').toReversed(), little(0, 4), count(0), Buffer.from('ffffffff', 'hex')]),
  )
  const output = Buffer.concat([little(100_000, 8), count(script.length / 2), Buffer.from(script, 'hex')])
  const raw = Buffer.concat([little(2, 4), count(inputs.length), ...inputs, count(1), output, little(0, 4)])
  return { hash: Buffer.from(sha(sha(raw)).toReversed()).toString('hex'), hex: raw.toString('hex') }
}

/** A node with these in its pool and in blocks. */
const nodeOf = (
  pool: readonly { hash: string; hex: string }[],
  mined: readonly { hash: string; hex: string }[] = [],
) => {
  const known = new Map([...pool, ...mined].map(({ hash, hex }) => [hash, hex]))
  const node = { asked: 0, most: 0, bytes: 0, silent: false }
  const rpc = {
    read: async (_method: string, _params: unknown, decode: (result: unknown) => unknown) =>
      decode(pool.map(({ hash }) => hash)),
    askAll: async (calls: readonly RpcCall[]) => {
      if (node.silent) throw new Error('the node is silent')
      node.asked += calls.length
      node.most = Math.max(node.most, calls.length)
      return calls.map(({ params }) => {
        const hex = known.get(params[0] as string)
        node.bytes += (hex?.length ?? 0) / 2
        return hex === undefined
          ? { ok: false, code: -5, message: 'No such mempool or blockchain transaction' }
          : { ok: true, result: hex }
      })
    },
    believe: (_method: string, decode: () => unknown) => decode(),
    unavailable: (_method: string, why: string) => new Error(why),
  } as unknown as Rpc
  return { node, read: (of: ReadonlySet<string> = new Set()) => readPool(rpc, 'regtest', of) }
}

const sender = addressOf(Buffer.from(p2wpkh('ab'), 'hex'), 'regtest')!
const parent = made([hashOf('nobody')], p2wpkh('ab'))
const payment = made([parent.hash], p2wpkh('cd'))

test('audit F-2: the sender of a payment is named however many other transactions come with it', async () => {
  // Two consolidations of 1,000 inputs, as anyone may send: both are standard.
  const crowd = [0, 1].map((n) =>
    made(
      Array.from({ length: 1_000 }, (_, i) => hashOf(`${n}/${i}`)),
      p2wpkh('ef'),
    ),
  )
  const { added } = await nodeOf([...crowd, payment], [parent]).read()
  expect(added.find(({ hash }) => hash === payment.hash)!.transfers[0]!.from).toEqual([sender])
})

test('audit F-2: some of the senders are not shown as if they were all', async () => {
  const joint = made([parent.hash, hashOf('a parent that the node does not have')], p2wpkh('cd'))
  const { added } = await nodeOf([joint], [parent]).read()
  expect(added[0]!.transfers[0]!.from).toEqual([])
})

test('audit F-2: a node that falls silent halfway gives no answer, rather than payments without senders', async () => {
  const { node, read } = nodeOf([payment], [parent])
  node.silent = true
  await expect(read()).rejects.toThrow('silent')
})

test('audit M-E4: a full pool is read a page at a time, each with all its senders', async () => {
  const pool = Array.from({ length: 2_500 }, (_, i) =>
    made([parent.hash], `0014${(i + 256).toString(16).padStart(40, '0')}`),
  )
  const { node, read } = nodeOf(pool, [parent])
  const known = new Set<string>()
  const pages: number[] = []
  for (let more = true; more;) {
    const before = node.asked
    const { hashes, added, unread } = await read(known)
    expect(hashes.size).toBe(pool.length)
    expect(node.asked - before).toBeLessThanOrEqual(1_001)
    for (const { hash, transfers } of added) {
      known.add(hash)
      expect(transfers[0]!.from).toEqual([sender])
    }
    pages.push(added.length)
    expect(unread.size).toBe(pool.length - known.size)
    more = unread.size > 0
  }
  expect(pages).toEqual([1_000, 1_000, 500])
})

test('audit M-E4: a page ends before it spends too much, and holds one transaction at least', async () => {
  const large = Array.from({ length: 4 }, (_, n) =>
    made(
      Array.from({ length: n === 3 ? 6_000 : 2_000 }, (__, i) => hashOf(`${n}/${i}`)),
      p2wpkh('ef'),
    ),
  )
  const { read } = nodeOf(large)
  const first = await read()
  expect(first.added.map(({ hash }) => hash)).toEqual(large.slice(0, 2).map(({ hash }) => hash))
  const second = await read(new Set(first.added.map(({ hash }) => hash)))
  expect(second.added.map(({ hash }) => hash)).toEqual([large[2]!.hash])
  const third = await read(new Set(large.slice(0, 3).map(({ hash }) => hash)))
  expect([third.added.map(({ hash }) => hash), third.unread.size]).toEqual([[large[3]!.hash], 0])
})

test('audit D-B5, row B-26: parents of the largest size there is fit into one answer', async () => {
  const parents = Array.from({ length: 40 }, (_, n) => made([hashOf(`grandparent ${n}`)], p2wpkh('ab')))
  const { node, read } = nodeOf(
    [
      made(
        parents.map(({ hash }) => hash),
        p2wpkh('cd'),
      ),
    ],
    parents,
  )
  expect((await read()).added[0]!.transfers[0]!.from).toEqual([sender])
  // BIP 141 allows a block, and so a transaction, 4,000,000 bytes; they come as hex, and rpc.ts reads 128 MiB of an
  // answer.
  expect(node.most * 8_000_000).toBeLessThan(128 * 1024 * 1024)
})

test('row B-26: a page ends before it has more bytes than are held at once, and goes on where it ended', async () => {
  // The largest that nodes relay has 400,000 bytes (policy.h MAX_STANDARD_TX_WEIGHT).
  const large = Array.from({ length: 100 }, (_, n) =>
    made([hashOf(`${n}`)], `6a${(n + 16).toString(16)}${'00'.repeat(399_000)}`),
  )
  const { node, read } = nodeOf(large)
  const known = new Set<string>()
  for (let more = true; more;) {
    const before = node.bytes
    const { added, unread } = await read(known)
    expect(node.bytes - before).toBeLessThanOrEqual(24 * 1024 * 1024)
    for (const { hash } of added) known.add(hash)
    expect(unread.size).toBe(large.length - known.size)
    more = unread.size > 0
  }
  expect(known.size).toBe(large.length)
})
