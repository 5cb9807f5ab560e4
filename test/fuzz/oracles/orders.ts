/** Whether each accepted object exists exactly once, as its merchant's, and no other object does. */
import { sql } from 'kysely'
import type { Db } from '../../../server/src/platform/db/index.ts'
import type { Created, Table } from '../cases/case.ts'

/** Tables in which a row is made by an accepted request only. Payers' pages take addresses too. */
const MADE_BY_REQUESTS: readonly Table[] = [
  'withdrawals',
  'card_payouts',
  'exchanges',
  'exchange_withdrawals',
  'crypto_invoices',
  'fiat_invoices',
  'payment_links',
]

/** The parts of an exchange with withdrawal: its exchange, and the withdrawal or card payout with its own id. */
const IS_PART = `exists (select from exchange_withdrawals e where e.merchant_id = t.merchant_id and t.id in (e.id, e.exchange_id))`
const HAVE_PARTS: readonly Table[] = ['withdrawals', 'card_payouts', 'exchanges']

export interface Objects {
  /** Remembers the existing objects. */
  look(): Promise<void>
  /**
   * Compares new objects since the last call with those that answers named, and remembers them. @returns differences
   */
  compare(created: readonly Created[]): Promise<string[]>
}

export const createObjects = (db: Db): Objects => {
  const known = new Set<string>()
  /** Equal requests of one second have one signature, so that the second gets the first answer, also a round later. */
  let namedBefore: ReadonlySet<string> = new Set()
  const nameOf = ({ table, merchantId, id }: Created): string => `${table} ${id} of ${merchantId}`
  const newRows = async (): Promise<Created[]> => {
    const each = MADE_BY_REQUESTS.map(
      (table) =>
        `select '${table}' as "table", id::text, merchant_id::text as "merchantId" from ${table} t
          where ${HAVE_PARTS.includes(table) ? `not ${IS_PART}` : 'true'}`,
    )
    const { rows } = await sql<Created>`${sql.raw(each.join(' union all '))}`.execute(db)
    const fresh = rows.filter((row) => !known.has(nameOf(row)))
    for (const row of fresh) known.add(nameOf(row))
    return fresh
  }
  return {
    look: async () => void (await newRows()),
    compare: async (created) => {
      const named = new Set(created.map(nameOf))
      const made = await newRows()
      const there = new Set(made.map(nameOf))
      const repeated = namedBefore
      namedBefore = named
      const addresses = created.filter(({ table }) => table === 'addresses')
      return [
        ...made
          .filter((row) => !named.has(nameOf(row)))
          .map((row) => `${nameOf(row)} was made, and no answer names it`),
        ...[...named]
          .filter((name) => !name.startsWith('addresses ') && !there.has(name) && !repeated.has(name))
          .map((name) => `${name} was named by an answer, and is not there`),
        ...(await wrongAddresses(db, addresses)),
      ]
    },
  }
}

/** An address was handed out once, to its merchant. */
const wrongAddresses = async (db: Db, created: readonly Created[]): Promise<string[]> => {
  if (created.length === 0) return []
  const { rows } = await sql<{
    address: string
    merchantId: string
  }>`select lower(address) as address, merchant_id::text as "merchantId"
    from addresses where lower(address) = any(${created.map(({ id }) => id)}::text[])`.execute(db)
  const found = Map.groupBy(rows, ({ address }) => address)
  const named = Map.groupBy(created, ({ id }) => id)
  return [...named].flatMap(([address, answers]) => {
    const owners = found.get(address) ?? []
    const isRight = answers.length === 1 && owners.length === 1 && owners[0]!.merchantId === answers[0]!.merchantId
    return isRight
      ? []
      : [`the address ${address} was named ${answers.length} times, and is there ${owners.length} times`]
  })
}
