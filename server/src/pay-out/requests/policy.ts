/** The policy of a merchant for payouts: rules in versions. A change that allows more waits for a day. */
import { sql, type RawBuilder } from 'kysely'
import { authoriseSession, lockTeam, type Now, recordOf, type Session } from '../../people/access/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { PayoutProblem } from './problem.ts'
import { DEFAULT_RULES, isLooser, isValidRules, readRules, storedRules, strictest, type PayoutRules } from './rules.ts'

/** How long a change that allows more waits until it is in force. */
const LOOSENING_MS = 24 * 3_600_000

/** The rules in force, and those that follow; `version` 0: no policy was ever stored. */
export interface Policy {
  version: number
  rules: PayoutRules
  next: { rules: PayoutRules; inForceAt: Date } | undefined
}

/** Whether a row of `payout_policies` is in force. One that allows no more than the row before is so at once. */
export const isInForce = (policy: RawBuilder<unknown>, at: Date): RawBuilder<boolean> =>
  sql<boolean>`(${policy}.in_force_at <= ${at} or ${policy}.in_force_at = ${policy}.made_at)`

/**
 * The policy of a merchant at a time of the real clock. A version that was in force when it was made counts at any
 * time: a command that waited for the lock has an older time than the change that it waited for.
 */
export const readPolicy = async (db: Db | Tx, merchantId: string, at: Date): Promise<Policy> => {
  const { rows } = await sql<{
    version: number
    rules: Parameters<typeof readRules>[0]
    inForceAt: Date
    isInForce: boolean
  }>`(select version, rules, in_force_at as "inForceAt", true as "isInForce" from payout_policies
      where merchant_id = ${merchantId} and ${isInForce(sql`payout_policies`, at)}
      order by version desc limit 1)
    union all (select version, rules, in_force_at, ${isInForce(sql`payout_policies`, at)} from payout_policies
      where merchant_id = ${merchantId} order by version desc limit 1)`.execute(db)
  const [present, newest] = [rows.find((row) => row.isInForce), rows.at(-1)]
  const isAhead = newest !== undefined && !newest.isInForce
  return {
    version: newest?.version ?? 0,
    rules: present ? readRules(present.rules) : DEFAULT_RULES,
    next: isAhead ? { rules: readRules(newest.rules), inForceAt: newest.inForceAt } : undefined,
  }
}

/**
 * Changes the policy of a merchant. What the new rules forbid is forbidden at once; what they allow is allowed a day
 * later. A change that still waits is replaced.
 * @param given `version` is that of the policy that the person saw
 * @throws NotAllowed, ProofNeeded, or a PayoutProblem
 */
export const changePolicy = async (
  tx: Tx,
  session: Session,
  { merchantId, rules, version }: { merchantId: string; rules: PayoutRules; version: number },
  now: Now,
): Promise<void> => {
  await lockTeam(tx, session, merchantId)
  await authoriseSession(tx, session, { merchantId, action: 'manage-payout-policy', needsProof: true })
  if (!isValidRules(rules)) throw new PayoutProblem('rules')
  const present = await readPolicy(tx, merchantId, now.real)
  if (present.version !== version) throw new PayoutProblem('changed')
  const looser = isLooser(rules, present.rules)
  const later = new Date(now.real.getTime() + LOOSENING_MS)
  const versions = looser
    ? ([
        [strictest(rules, present.rules), now.real],
        [rules, later],
      ] as const)
    : ([[rules, now.real]] as const)
  for (const [index, [one, at]] of versions.entries())
    await sql`insert into payout_policies(merchant_id, version, rules, made_by, made_at, in_force_at)
      values (${merchantId}, ${version + 1 + index}, ${JSON.stringify(storedRules(one))}, ${session.person.id}, ${now.real}, ${at})`.execute(
      tx,
    )
  const detail = { rules: storedRules(rules), inForceAt: (looser ? later : now.real).toISOString() }
  await recordOf(tx, session, { merchantId, action: 'changed payout policy', detail }, now)
}
