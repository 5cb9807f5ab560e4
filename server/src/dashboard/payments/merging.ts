import type { Listed } from '../../platform/lists/page.ts'

/** A row of a list that is merged with others. */
export interface MergedRow {
  /** with the id, names the row: objects of different kinds may have the same id */
  kind: string
  id: string
  /** of the row in its list. In all lists of its kind, a row behind another one has a lesser key, as text */
  key: string
  createdAt: Date
}

/** A list, newest first. */
export interface Source<Row extends MergedRow> {
  /** letters; unlike the others that are merged with it */
  name: string
  isKey(text: string): boolean
  /** @param after null: from the newest row */
  read(after: string | null, limit: number): Promise<Listed<Row>>
}

/** Where each list goes on, by its name. Null: it has ended. A list without a position begins with its newest row. */
type Positions = ReadonlyMap<string, string | null>

interface Head<Row extends MergedRow> extends Listed<Row> {
  source: Source<Row>
  taken: number
}

/**
 * A page of several lists as one, newest first. It keeps the order of each list. Of the rows that are next in their
 * lists, it takes the one with the greatest key of each kind, and of these the one with the latest time: so the lists
 * of one kind come to a row that they share at the same time, although times may be out of order. A list may end its
 * own page early, because a rare condition may have many rows to examine: the page then ends too, since the next row of
 * that list is not known. A row that is in two lists is shown once.
 * @param after the `next` of the page before; undefined, and a text that is none: the first page
 */
export const mergePage = async <Row extends MergedRow>(
  sources: readonly Source<Row>[],
  after: string | undefined,
  limit: number,
): Promise<{ rows: Row[]; next: string | null }> => {
  const positions = positionsIn(after, sources)
  const heads: Head<Row>[] = []
  for (const source of sources) {
    const position = positions.get(source.name)
    if (position === null) continue
    heads.push({ source, taken: 0, ...(await source.read(position ?? null, limit)) })
  }
  const rows = new Map<string, Row>()
  while (rows.size < limit) {
    const next = nextOf(heads)
    if (next === undefined) break
    const row = next.rows[next.taken]!
    rows.set(nameOf(row), row)
    next.taken += 1
  }
  for (const head of heads)
    while (head.rows[head.taken] !== undefined && rows.has(nameOf(head.rows[head.taken]!))) head.taken += 1
  return { rows: [...rows.values()], next: cursorOf(sources, positionsBehind(heads, positions)) }
}

const nameOf = ({ kind, id }: MergedRow): string => `${kind}/${id}`

/** The list whose next row is the newest one; undefined if the page ends here. */
const nextOf = <Row extends MergedRow>(heads: readonly Head<Row>[]): Head<Row> | undefined => {
  const ofKinds = new Map<string, { head: Head<Row>; row: Row }>()
  for (const head of heads) {
    const row = head.rows[head.taken]
    if (row === undefined && head.next !== null) return undefined
    if (row === undefined) continue
    const other = ofKinds.get(row.kind)
    if (other === undefined || row.key > other.row.key) ofKinds.set(row.kind, { head, row })
  }
  const nexts = [...ofKinds.values()]
  return nexts.reduce<(typeof nexts)[number] | undefined>(
    (newest, one) => (newest === undefined || one.row.createdAt > newest.row.createdAt ? one : newest),
    undefined,
  )?.head
}

const positionsBehind = <Row extends MergedRow>(heads: readonly Head<Row>[], before: Positions): Positions => {
  const positions = new Map(before)
  for (const { source, rows, taken, next } of heads) {
    if (taken === rows.length) positions.set(source.name, next)
    else if (taken > 0) positions.set(source.name, rows[taken - 1]!.key)
  }
  return positions
}

const cursorOf = (sources: readonly { name: string }[], positions: Positions): string | null => {
  const isEnded = sources.every(({ name }) => positions.get(name) === null)
  const text = [...positions].map(([name, key]) => `${name}=${key ?? ''}`).join(',')
  return isEnded ? null : Buffer.from(text).toString('base64url')
}

const positionsIn = <Row extends MergedRow>(cursor: string | undefined, sources: readonly Source<Row>[]): Positions => {
  const positions = new Map<string, string | null>()
  if (cursor === undefined) return positions
  for (const part of Buffer.from(cursor, 'base64url').toString('latin1').split(',')) {
    const [name = '', key] = part.split('=')
    const source = sources.find((one) => one.name === name)
    if (source === undefined || key === undefined || (key !== '' && !source.isKey(key))) return new Map()
    positions.set(name, key === '' ? null : key)
  }
  return positions
}
