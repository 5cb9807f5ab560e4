import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { accountText, readAccount } from './accounts.ts'
import type { Adjustment } from './adjustment.ts'
import type { Person } from './person.ts'

/** An arbitrary lock key, the same in every process: one adjustment is judged and posted at a time. */
const LOCK = 7_262_635_013

export const lockAdjustments = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

/** Returns the identity of this database; a restored copy has another one. */
export const databaseIdentity = async (db: Db | Tx): Promise<string> => {
  const { rows } = await sql<{ identity: string }>`select database_identity() as identity`.execute(db)
  return rows[0]!.identity
}

export interface PersonLine extends Person {
  enrolledBy: string
  enrolledAt: Date
  vouchedBy: string | null
  removedAt: Date | null
}

/** Returns all people ever enrolled, the first one first. */
export const listPeople = async (db: Db | Tx): Promise<PersonLine[]> => {
  const { rows } =
    await sql<PersonLine>`select id, public_key as "publicKey", login, enrolled_by as "enrolledBy", enrolled_at as "enrolledAt",
    vouched_by as "vouchedBy", removed_at as "removedAt" from people order by enrolled_at, id`.execute(db)
  return rows
}

/** Returns the signatures of vouchers, by the person vouched for. */
export const vouchersSignatures = async (db: Db | Tx): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await sql<{
    id: string
    signature: string
  }>`select id, signature from people where signature is not null`.execute(db)
  return new Map(rows.map(({ id, signature }) => [id, signature]))
}

export const insertPerson = async (
  tx: Tx,
  { id, publicKey, login }: Person,
  by: { actor: string; at: Date; vouchedBy: string | null; signature: string | null },
): Promise<void> => {
  await sql`insert into people(id, public_key, login, enrolled_by, enrolled_at, vouched_by, signature)
    values (${id}, ${publicKey}, ${login}, ${by.actor}, ${by.at}, ${by.vouchedBy}, ${by.signature})`.execute(tx)
}

/** False when no such person is enrolled. */
export const removePerson = async (tx: Tx, id: string, actor: string, at: Date): Promise<boolean> => {
  const { rows } =
    await sql`update people set removed_by = ${actor}, removed_at = ${at} where id = ${id} and removed_at is null returning 1`.execute(
      tx,
    )
  return rows.length === 1
}

export const insertAdjustment = async (tx: Tx, adjustment: Adjustment): Promise<void> => {
  const { id, asset, units, amount, from, to, address, depositId, reason, proposedBy, proposedAt } = adjustment
  await sql`insert into adjustments(id, asset, units, amount, from_account, to_account, address, deposit_id, reason, proposed_by, proposed_at)
    values (${id}, ${asset}, ${units}, ${amount}, ${accountText(from)}, ${accountText(to)}, ${address}, ${depositId}, ${reason}, ${proposedBy}, ${proposedAt})`.execute(
    tx,
  )
}

export interface AdjustmentLine extends Adjustment {
  /** null while it is not signed */
  signed: { person: string; signature: string; appliedBy: string; appliedAt: Date } | null
}

interface Row extends Omit<Adjustment, 'from' | 'to'> {
  fromAccount: string
  toAccount: string
  person: string | null
  signature: string | null
  appliedBy: string | null
  appliedAt: Date | null
}

const COLUMNS = sql`a.id, a.asset, a.units, a.amount, a.from_account as "fromAccount", a.to_account as "toAccount", a.address, a.deposit_id as "depositId", a.reason,
  a.proposed_by as "proposedBy", a.proposed_at as "proposedAt", s.person, s.signature, s.applied_by as "appliedBy", s.applied_at as "appliedAt"`

const lineOf = ({ fromAccount, toAccount, person, signature, appliedBy, appliedAt, ...rest }: Row): AdjustmentLine => ({
  ...rest,
  from: readAccount(fromAccount),
  to: readAccount(toAccount),
  signed:
    person === null || signature === null || appliedBy === null || appliedAt === null
      ? null
      : { person, signature, appliedBy, appliedAt },
})

export const findAdjustment = async (db: Db | Tx, id: string): Promise<AdjustmentLine | undefined> => {
  const { rows } =
    await sql<Row>`select ${COLUMNS} from adjustments a left join adjustment_signatures s on s.adjustment_id = a.id where a.id = ${id}`.execute(
      db,
    )
  return rows[0] && lineOf(rows[0])
}

/** Returns all adjustments ever proposed, the newest first. */
export const listAdjustments = async (db: Db | Tx): Promise<AdjustmentLine[]> => {
  const { rows } =
    await sql<Row>`select ${COLUMNS} from adjustments a left join adjustment_signatures s on s.adjustment_id = a.id
    order by a.proposed_at desc, a.id desc`.execute(db)
  return rows.map(lineOf)
}

export const insertSignature = async (
  tx: Tx,
  id: string,
  { person, signature, appliedBy, appliedAt }: NonNullable<AdjustmentLine['signed']>,
): Promise<void> => {
  await sql`insert into adjustment_signatures(adjustment_id, person, signature, applied_by, applied_at)
    values (${id}, ${person}, ${signature}, ${appliedBy}, ${appliedAt})`.execute(tx)
}
