import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction } from '../db/index.ts'
import { createIds } from '../runtime/ids.ts'
import { firstSpanOf, isSampled, traceOf, type Span } from './span.ts'
import { inStep, inUnit, isTracing, noteChanges, noteOrder, recordCommit, setTracing } from './tracing.ts'

const { db } = useDb()
const newId = createIds()
let spans: Span[] = []
let dropped = 0
const sink = { add: (span: Span) => void spans.push(span), drop: (some: number) => void (dropped += some) }
beforeEach(() => {
  spans = []
  dropped = 0
  setTracing(sink)
})
afterEach(() => setTracing(undefined))

const unit = { name: 'unit', kind: 'server', attributes: {} } as const
const call = { name: 'call', kind: 'client', attributes: { 'bursar.network': 'TRON' } } as const
const first = (orderId: string) => ({ orderId, kind: 'withdrawal', isFirst: true })
const tree = (orderId: string) =>
  spans
    .filter(({ traceId }) => traceId === traceOf(orderId))
    .map(({ name, spanId, parentId }) => ({ name, spanId, parentId }))

describe('the trace of an order', () => {
  test('begins with the unit that created it; later units and steps of any process are below that span', async () => {
    const id = newId()
    const root = firstSpanOf(traceOf(id)!)
    await inUnit(unit, async () => recordCommit('ledger commit', 0, [first(id)]))
    await inUnit({ ...unit, name: 'job' }, async () =>
      inStep(
        call,
        () => [id],
        async (notes) =>
          notes!.below({ ...call, name: 'sign', program: 'signer', startedAt: 1, endedAt: 2, failed: false }),
      ),
    )
    const [placing, commit, job, asked, signed] = tree(id)
    expect(placing).toEqual({ name: 'unit', spanId: root, parentId: undefined })
    expect(commit).toMatchObject({ name: 'ledger commit', parentId: root })
    expect(job).toMatchObject({ name: 'job', parentId: root })
    expect(asked).toMatchObject({ name: 'call', parentId: job!.spanId })
    expect(signed).toMatchObject({ name: 'sign', parentId: asked!.spanId })
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5)
  })

  test('begins with the commit itself where no unit runs, as in a watcher', async () => {
    const id = newId()
    recordCommit('database commit', 0, [first(id)])
    expect(tree(id)).toEqual([{ name: 'database commit', spanId: firstSpanOf(traceOf(id)!), parentId: undefined }])
  })

  test('has only the steps about this order; a unit that changed no order writes nothing', async () => {
    const [a, b] = [newId(), newId()]
    await inUnit(unit, async () => {
      await inStep(
        call,
        () => [a],
        async () => {},
      )
      noteOrder(b)
      noteOrder('no uuid')
    })
    await inUnit(unit, async () => {})
    expect(tree(a).map(({ name }) => name)).toEqual(['unit', 'call'])
    expect(tree(b).map(({ name }) => name)).toEqual(['unit'])
    expect(spans).toHaveLength(3)
  })

  test('shows a call that throws as failed, and passes the error on', async () => {
    const id = newId()
    const failing = inUnit(unit, () =>
      inStep(
        call,
        () => [id],
        () => Promise.reject(new Error('away')),
      ),
    )
    await expect(failing).rejects.toThrow('away')
    expect(spans.map(({ failed }) => failed)).toEqual([true, true])
  })

  test('never stops the work: a call whose orders cannot be read is made without a span', async () => {
    expect(
      await inStep(
        call,
        () => Promise.reject(new Error('no database')),
        async () => 7,
      ),
    ).toBe(7)
    expect(spans).toEqual([])
  })
})

describe('a database transaction', () => {
  test('is recorded after its commit, once for each order', async () => {
    const [a, b] = [newId(), newId()]
    await inTransaction(db, async (tx) => {
      noteChanges(tx, () => [first(a), { orderId: a, kind: 'withdrawal', status: 'Pending' }, first(b)])
      expect(spans).toEqual([])
    })
    expect(spans.map(({ name, attributes }) => [name, attributes['bursar.order.status']])).toEqual([
      ['database commit', 'Pending'],
      ['database commit', undefined],
    ])
  })

  test('that is rolled back is not recorded, whether its work or its COMMIT fails', async () => {
    const failing = inTransaction(db, async (tx) => {
      noteChanges(tx, () => [first(newId())])
      throw new Error('judged otherwise')
    })
    await expect(failing).rejects.toThrow('judged otherwise')
    const refused = inTransaction(db, async (tx) => {
      noteChanges(tx, () => [first(newId())])
      await sql`create temporary table traced_too (id int unique deferrable initially deferred) on commit drop`.execute(
        tx,
      )
      // Raw: a temporary table whose COMMIT fails.
      await sql`insert into traced_too values (1), (1)`.execute(tx)
    })
    await expect(refused).rejects.toThrow('duplicate key')
    expect(spans).toEqual([])
  })

  test('that is repeated after a lost race is recorded once, with the changes of the last attempt', async () => {
    const ids = [newId(), newId()]
    let attempt = 0
    await inTransaction(db, async (tx) => {
      const id = ids[attempt++]!
      noteChanges(tx, () => [first(id)])
      if (attempt === 1) await sql`do $$ begin raise serialization_failure; end $$`.execute(tx)
    })
    expect(spans.map(({ traceId }) => traceId)).toEqual([traceOf(ids[1]!)])
  })
})

test('a unit holds a bounded number of orders and steps, and counts those that it leaves out', async () => {
  await inUnit(unit, async () => {
    for (let n = 0; n < 300; n += 1) noteOrder(newId())
    const id = newId()
    for (let n = 0; n < 600; n += 1)
      await inStep(
        call,
        () => [id],
        async () => {},
      )
  })
  expect(spans.length).toBeLessThanOrEqual(256)
  expect(dropped).toBeGreaterThanOrEqual(44)
})

test('a share of the orders is traced: the same in each process, and about as many as the share says', () => {
  const ids = Array.from({ length: 4_000 }, () => traceOf(newId())!)
  const some = ids.filter((id) => isSampled(id, 0.25))
  // Five standard deviations: the test fails by chance less than once in a million runs.
  expect(Math.abs(some.length - 1_000)).toBeLessThan(140)
  expect(ids.filter((id) => isSampled(id, 0.5))).toEqual(expect.arrayContaining(some))
  expect([0, 1].map((share) => ids.filter((id) => isSampled(id, share)).length)).toEqual([0, 4_000])
})

test('while tracing is off, nothing is noted and no list of orders is made', async () => {
  setTracing(undefined)
  const asked = () => {
    throw new Error('not asked')
  }
  await inUnit(unit, async () => inStep(call, asked, async (notes) => expect(notes).toBeUndefined()))
  await inTransaction(db, async (tx) => noteChanges(tx, asked))
  expect(isTracing()).toBe(false)
  expect(spans).toEqual([])
})
