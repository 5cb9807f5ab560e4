/** Values of the queries of lists. */
import type { Operation } from '@bursar/contract'
import type { Random } from '../../../sandbox/random.ts'
import { KINDS, type FuzzWorld, type Owned } from '../objects.ts'

export type Fields = Record<string, string>

export const isList = ({ path }: Operation): boolean => path.startsWith('/merchants/lists/')

export const cursorOf = ({ id }: Operation, key: string): string => Buffer.from(`${id}/${key}`).toString('base64url')

export const idsOf = ({ ids }: Owned): string[] => KINDS.flatMap((kind) => ids[kind])

/** Values of a list's query that its schema does not describe. */
export const listFields = (operation: Operation, { owned }: FuzzWorld, random: Random): Fields => {
  const ids = owned.flatMap(idsOf)
  const [from, to] = [random.int(1_000_000), Date.now() + random.int(1_000_000)]
  const { properties } = operation.query!
  const fields: Fields = {
    ids: [random.pick(ids), random.pick(ids).toUpperCase()].join(','),
    after: cursorOf(operation, random.pick(ids)),
    timeFrom: String(from),
    timeTo: String(to),
    hash: random.bytes(32).toString('hex'),
    localId: random.pick(owned.flatMap(({ localIds }) => localIds)),
    address: random.pick(owned.flatMap(({ addresses }) => addresses)),
  }
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in properties))
}
