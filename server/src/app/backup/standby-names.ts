/** What `synchronous_standby_names` of PostgreSQL asks of each commit. */
export interface StandbyNames {
  /** `any`: any `count` of the names. `first`: the first `count` names that are connected */
  method: 'any' | 'first'
  /** how many standbys must have a commit on their disk before it is acknowledged */
  count: number
  /** without quotes; `*` is every program that receives the log */
  names: readonly string[]
}

/**
 * Reads a value that the server has accepted: `a, b`, `2 (a, b, c)`, `FIRST 2 (a, b, c)` or `ANY 2 (a, b, c)`
 * (src/backend/replication/syncrep_gram.y of PostgreSQL 17).
 * @returns undefined for an empty value: commits wait for no standby
 */
export const readStandbyNames = (text: string): StandbyNames | undefined => {
  const counted = /^\s*(?:(any|first)\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(text)
  const list = counted?.[3] ?? text
  const names = (list.match(/"(?:[^"]|"")*"|[^\s,"]+/g) ?? []).map((name) =>
    name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name,
  )
  if (names.length === 0) return undefined
  return {
    method: counted?.[1]?.toLowerCase() === 'any' ? 'any' : 'first',
    count: counted === null ? 1 : Number(counted[2]),
    names,
  }
}

/**
 * Whether a receiver of the log may acknowledge commits: only if `synchronous_standby_names` has its name, or is empty.
 * Patroni 4.1.4 and earlier write `*` while no standby streams, so that commits wait; a receiver that counts as a
 * standby would acknowledge them (`set_synchronous_standby_names` of patroni/postgresql/sync.py).
 * @param text the value of the setting
 */
export const mayAcknowledge = (text: string, name: string): boolean => {
  const names = readStandbyNames(text)?.names
  return names === undefined || names.some((one) => one.toLowerCase() === name.toLowerCase())
}
