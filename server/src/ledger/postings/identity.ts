import { isSameRequest, type Fingerprinted } from '../../platform/base/same-request.ts'
import { throughTx, type Query, type Tx } from '../../platform/db/index.ts'
import { arrayLiteral } from './array-literal.ts'
import type { StoredAnswer, Outcome } from './posting.ts'

/** Identifies a request: the keys under which its answer is stored, and the merchant's own name for the order. */
export interface Identity {
  merchantId: string
  keys: readonly (Fingerprinted & { key: string })[]
  localId: string | null
}

/** The stored result of a request, even if it would have another price or be refused now. */
export type Known =
  | Extract<Outcome, { kind: 'answered' | 'key-reused' }>
  | { kind: 'refused'; guard: 'local-id-taken'; objectId: string }

/** Returns a stored answer under one of the keys, in their order. */
export const answeredBefore = (
  { merchantId, keys }: Pick<Identity, 'merchantId' | 'keys'>,
  answers: ReadonlyMap<string, StoredAnswer & { fingerprint: string }>,
): Extract<Known, { kind: 'answered' | 'key-reused' }> | undefined => {
  for (const asked of keys) {
    const stored = answers.get(`${merchantId}/${asked.key}`)
    if (!stored) continue
    if (!isSameRequest(stored.fingerprint, asked)) return { kind: 'key-reused' }
    return { kind: 'answered', answer: { status: stored.status, body: stored.body } }
  }
  return undefined
}

// The offset prevents the planner from reversing a join: a plan made while a table is empty would later read all of it.
const FIND = `select t.merchant_id, t.key as name, t.fingerprint, t.status, t.body, null::uuid as object_id from unnest($1::uuid[], $2::text[]) u(m, k)
    cross join lateral (select * from request_answers t where t.merchant_id = u.m and t.key = u.k offset 0) t
  union all
  select t.merchant_id, t.local_id, null, null, null, t.object_id from unnest($3::uuid[], $4::text[]) u(m, k)
    cross join lateral (select * from local_ids t where t.merchant_id = u.m and t.local_id = u.k offset 0) t`

/**
 * Finds the committed result of requests, in one statement and in their order: the stored answer, or else the object
 * that has the localId.
 */
export const findKnown = async (query: Query, asked: readonly Identity[]): Promise<(Known | undefined)[]> => {
  const keys = asked.flatMap(({ merchantId, keys }) => keys.map(({ key }) => [merchantId, key] as const))
  const names = asked.flatMap(({ merchantId, localId }) => (localId === null ? [] : [[merchantId, localId] as const]))
  if (keys.length === 0 && names.length === 0) return asked.map(() => undefined)
  const columns = (pairs: readonly (readonly [string, string])[]) => [
    arrayLiteral(
      'uuid',
      pairs.map(([m]) => m),
    ),
    arrayLiteral(
      'text',
      pairs.map(([, name]) => name),
    ),
  ]
  const rows = await query('ledger-known', FIND, [...columns(keys), ...columns(names)])
  const answers = new Map<string, StoredAnswer & { fingerprint: string }>()
  const owners = new Map<string, string>()
  for (const row of rows) {
    const at = `${row.merchant_id}/${row.name}`
    if (row.object_id === null)
      answers.set(at, {
        fingerprint: row.fingerprint as string,
        status: row.status as number,
        body: row.body as string,
      })
    else owners.set(at, row.object_id as string)
  }
  return asked.map((one) => {
    const objectId = one.localId === null ? undefined : owners.get(`${one.merchantId}/${one.localId}`)
    return (
      answeredBefore(one, answers) ??
      (objectId === undefined ? undefined : { kind: 'refused', guard: 'local-id-taken', objectId })
    )
  })
}

// Two statements, so that the snapshot of the second is taken after the locks.
const LOCK = `select pg_advisory_xact_lock(h) from (select distinct hashtextextended(n, 5271) as h from unnest($1::text[]) n order by 1) locks`

/**
 * Locks requests against concurrent transactions that call this for the same ones, then returns their stored results.
 * Call it before prices, quotes and inventory are read, because the first of two equal requests uses them up.
 */
export const lockKnown = async (tx: Tx, asked: readonly Identity[]): Promise<(Known | undefined)[]> => {
  const names = asked.flatMap(({ merchantId, keys, localId }) => [
    ...keys.map(({ key }) => `${merchantId}/${key}`),
    ...(localId === null ? [] : [`${merchantId}/${localId}`]),
  ])
  if (names.length === 0) return asked.map(() => undefined)
  const query = throughTx(tx)
  await query('ledger-lock-known', LOCK, [arrayLiteral('text', names)])
  return findKnown(query, asked)
}
