/** The address book of a merchant: addresses that count as known after a waiting time. */
import { isNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { authoriseSession, lockTeam, type Now, recordOf, type Session } from '../../people/access/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { checkDestination, type Rules } from '../withdrawals/index.ts'
import { readPolicy } from './policy.ts'
import { PayoutProblem } from './problem.ts'

export interface BookAddress {
  id: string
  name: string
  blockchain: Network
  address: string
  addedBy: string
  addedAt: Date
  usableAt: Date
}

const LONGEST_NAME = 80
/** Addresses of a merchant's book that are shown; a book with as many takes no further ones. */
const MOST_ADDRESSES = 500

/** The addresses of a merchant that were not removed, by name. */
export const listAddresses = async (db: Db | Tx, merchantId: string): Promise<BookAddress[]> =>
  (
    await sql<BookAddress>`select id, name, blockchain, address, added_by as "addedBy", added_at as "addedAt",
        usable_at as "usableAt"
      from payout_addresses where merchant_id = ${merchantId} and removed_at is null order by lower(name), id
      limit ${MOST_ADDRESSES}`.execute(db)
  ).rows

/** The addresses that count as known at a time, as `NETWORK/ADDRESS`. */
export const knownAddresses = async (db: Db | Tx, merchantId: string, at: Date): Promise<ReadonlySet<string>> => {
  const all = await listAddresses(db, merchantId)
  return new Set(
    all.filter(({ usableAt }) => usableAt <= at).map(({ blockchain, address }) => keyOf(blockchain, address)),
  )
}

export const keyOf = (blockchain: string, address: string): string => `${blockchain}/${address}`

const mayManage = async (tx: Tx, session: Session, merchantId: string): Promise<void> => {
  await lockTeam(tx, session, merchantId)
  await authoriseSession(tx, session, { merchantId, action: 'manage-payout-addresses', needsProof: true })
}

/**
 * Adds an address to the book, in canonical form. It counts as known after the waiting time of the policy.
 * @throws NotAllowed, ProofNeeded or a PayoutProblem
 */
export const addAddress = async (
  tx: Tx,
  session: Session,
  { merchantId, name, blockchain, address }: { merchantId: string; name: string; blockchain: string; address: string },
  rules: Rules,
  now: Now,
): Promise<void> => {
  await mayManage(tx, session, merchantId)
  const called = name.trim()
  if (called === '' || called.length > LONGEST_NAME || /\p{Cc}/u.test(called)) throw new PayoutProblem('name')
  const checked = isNetwork(blockchain) ? checkDestination(blockchain, address.trim(), rules) : { ok: false as const }
  if (!checked.ok) throw new PayoutProblem('address')
  if ((await listAddresses(tx, merchantId)).length >= MOST_ADDRESSES) throw new PayoutProblem('many')
  const { rules: policy } = await readPolicy(tx, merchantId, now.real)
  const usableAt = new Date(now.real.getTime() + policy.coolingHours * 3_600_000)
  const { rows } =
    await sql`insert into payout_addresses(id, merchant_id, name, blockchain, address, added_by, added_at, usable_at)
    values (${now.moment.newId()}, ${merchantId}, ${called}, ${blockchain}, ${checked.address}, ${session.person.id}, ${now.real}, ${usableAt})
    on conflict (merchant_id, blockchain, address) where removed_at is null do nothing returning 1`.execute(tx)
  if (rows.length === 0) throw new PayoutProblem('taken')
  const detail = { name: called, blockchain, address: checked.address }
  await recordOf(tx, session, { merchantId, action: 'added payout address', detail }, now)
}

/** Removes an address from the book at once. Throws NotAllowed, ProofNeeded or a PayoutProblem. */
export const removeAddress = async (
  tx: Tx,
  session: Session,
  { merchantId, id }: { merchantId: string; id: string },
  now: Now,
): Promise<void> => {
  await mayManage(tx, session, merchantId)
  const { rows } = await sql<{ name: string; blockchain: string; address: string }>`update payout_addresses
    set removed_by = ${session.person.id}, removed_at = ${now.real}
    where merchant_id = ${merchantId} and id = ${id} and removed_at is null returning name, blockchain, address`.execute(
    tx,
  )
  if (!rows[0]) throw new PayoutProblem('unknown')
  await recordOf(tx, session, { merchantId, action: 'removed payout address', detail: rows[0] }, now)
}
