import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Now, Secrets } from './now.ts'
import type { Person } from './people.ts'
import { hashOf, newToken } from './tokens.ts'

const HOUR_MS = 3_600_000
/** A session ends when it was not used for so long, and always after `LIFE_MS`. */
const IDLE_MS = HOUR_MS
const LIFE_MS = 12 * HOUR_MS
/** How long a proof (a passkey, or a password with a code) allows its session dangerous changes. */
const PROOF_MS = 5 * 60_000
/** The time of the last use is stored at most once in this time. */
const SEEN_MS = 60_000
const SHOWN_SESSIONS = 50

export type Method = 'passkey' | 'password' | 'recovery'

/** A session in use, with its person. */
export interface Session {
  id: string
  person: Person
  /** the person proved that it is them within the last five minutes */
  isProved: boolean
}

export interface SessionLine {
  id: string
  method: Method
  agent: string
  createdAt: Date
  seenAt: Date
}

/** @returns the token for the cookie, and whether the browser is new: no earlier session names itself the same */
export const openSession = async (
  tx: Tx,
  personId: string,
  { method, agent }: { method: Method; agent: string },
  random: Secrets['random'],
  { real, moment }: Now,
): Promise<{ token: string; isNewBrowser: boolean }> => {
  const token = newToken(random)
  const { rows } = await sql<{ known: boolean }>`select exists (
      select from dashboard_sessions where person_id = ${personId} and agent = ${agent}) as known`.execute(tx)
  await sql`insert into dashboard_sessions(id, person_id, token_hash, method, agent, created_at, seen_at, proved_at, ends_at)
    values (${moment.newId()}, ${personId}, ${hashOf(token)}, ${method}, ${agent}, ${real}, ${real}, ${real},
      ${new Date(real.getTime() + LIFE_MS)})`.execute(tx)
  return { token, isNewBrowser: !rows[0]!.known }
}

/**
 * The session of a cookie's token; undefined if it has ended.
 * @param isUse a person asks: the idle time of the session begins again
 */
export const findSession = async (db: Db, token: string, now: Date, isUse = true): Promise<Session | undefined> => {
  const { rows } = await sql<Person & { session: string; provedAt: Date; seenAt: Date }>`select
      s.id as session, s.proved_at as "provedAt", s.seen_at as "seenAt", p.id, p.email, p.language
    from dashboard_sessions s join dashboard_people p on p.id = s.person_id
    where s.token_hash = ${hashOf(token)} and s.ended_at is null and s.ends_at > ${now}
      and s.seen_at > ${new Date(now.getTime() - IDLE_MS)}`.execute(db)
  const found = rows[0]
  if (!found) return undefined
  if (isUse && now.getTime() - found.seenAt.getTime() > SEEN_MS)
    await sql`update dashboard_sessions set seen_at = ${now} where id = ${found.session} and seen_at < ${now}`.execute(
      db,
    )
  const { session: id, provedAt, email, language } = found
  return { id, person: { id: found.id, email, language }, isProved: now.getTime() - provedAt.getTime() < PROOF_MS }
}

/** Whether a session has not ended. To ask is no use of the session. */
export const isOpen = async (db: Db, sessionId: string, now: Date): Promise<boolean> => {
  const { rows } = await sql`select from dashboard_sessions where id = ${sessionId} and ended_at is null
    and ends_at > ${now} and seen_at > ${new Date(now.getTime() - IDLE_MS)}`.execute(db)
  return rows.length > 0
}

/**
 * Records a new proof, and replaces the token, so that a copy of the old one does not get the rights of the proof.
 * @returns the new token; undefined if the session has ended meanwhile
 */
export const renewSession = async (
  tx: Tx,
  sessionId: string,
  random: Secrets['random'],
  now: Date,
): Promise<string | undefined> => {
  const token = newToken(random)
  const { rows } =
    await sql`update dashboard_sessions set token_hash = ${hashOf(token)}, proved_at = ${now}, seen_at = ${now}
    where id = ${sessionId} and ended_at is null returning 1`.execute(tx)
  return rows.length > 0 ? token : undefined
}

/** Sessions in use, the last used first. */
export const listSessions = async (db: Db, personId: string, now: Date): Promise<SessionLine[]> =>
  (
    await sql<SessionLine>`select id, method, agent, created_at as "createdAt", seen_at as "seenAt"
      from dashboard_sessions where person_id = ${personId} and ended_at is null and ends_at > ${now}
        and seen_at > ${new Date(now.getTime() - IDLE_MS)}
      order by seen_at desc, id desc limit ${SHOWN_SESSIONS}`.execute(db)
  ).rows

/** Ends one session of a person. Returns false if it was none of theirs, or has ended. */
export const endSession = async (db: Db | Tx, personId: string, sessionId: string, now: Date): Promise<boolean> => {
  const { rows } = await sql`update dashboard_sessions set ended_at = ${now}
    where person_id = ${personId} and id = ${sessionId} and ended_at is null returning 1`.execute(db)
  return rows.length > 0
}

/** Ends all sessions of a person, but for the given one. */
export const endSessions = async (tx: Tx, personId: string, except: string | null, now: Date): Promise<void> => {
  await sql`update dashboard_sessions set ended_at = ${now}
    where person_id = ${personId} and id is distinct from ${except}::uuid and ended_at is null`.execute(tx)
}
