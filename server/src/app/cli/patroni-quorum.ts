import { mappingOf, type PlainValue } from './plain-yaml.ts'

type Mapping = Readonly<Record<string, PlainValue>>

/** A single value in small letters, and an empty text for an absent one, a list or a mapping. */
export const wordOf = (value: PlainValue | undefined): string =>
  value === undefined || value === null || typeof value === 'object' ? '' : String(value).toLowerCase()

/** A setting as Patroni reads a switch (`parse_bool` of patroni/utils.py); undefined if it is neither on nor off. */
export const switchOf = (value: PlainValue | undefined): boolean | undefined => {
  const word = wordOf(value)
  if (['on', 'true', 'yes', '1'].includes(word)) return true
  return ['off', 'false', 'no', '0'].includes(word) ? false : undefined
}

/** Whether `synchronous_mode` asks for quorum commit (`is_quorum_commit_mode` of patroni/global_config.py, 4.0.7). */
export const isQuorum = (dcs: Mapping): boolean => wordOf(dcs['synchronous_mode']) === 'quorum'

/**
 * How many standbys have a commit before it is acknowledged (`synchronous_node_count` of patroni/global_config.py with
 * synchronous_mode_strict, and `numsync` of patroni/quorum.py).
 * @param voters standbys that are synchronous now
 */
export const replicationFactor = (dcs: Mapping, voters: number): number => {
  const wanted = Math.trunc(Number(dcs['synchronous_node_count'] ?? 1))
  return Math.min(Math.max(Number.isNaN(wanted) ? 1 : wanted, 1), Math.max(voters, 1))
}

/**
 * Faults of settings with quorum commit, which are the same on all machines.
 *
 * Patroni promotes a machine when enough others have answered that their logs are not longer (`_is_healthiest_node` of
 * patroni/ha.py). These others go on to receive the log of the earlier primary, and to acknowledge its commits, until
 * they see the new one. So nothing is lost only if the earlier primary has ended by then. With `synchronous_mode: on`
 * this does not matter: each acknowledged commit needs the machine that is promoted.
 */
export const problemsOfQuorum = (dcs: Mapping): string[] => {
  if (!isQuorum(dcs)) return []
  const problems: string[] = []
  // Both names are read (patroni/global_config.py). Corrected by pull request 3661 of Patroni.
  if (Number(dcs['primary_stop_timeout'] ?? dcs['master_stop_timeout'] ?? 0) > 0)
    problems.push(
      'primary_stop_timeout with synchronous_mode quorum: before Patroni 4.0.10 and 4.1.4 the watchdog is switched off while clients of the earlier primary still commit',
    )
  return problems
}

/** Faults of the file of one machine with quorum commit. `ttl` and `loop_wait` in seconds. */
export const problemsOfFence = (file: Mapping, { ttl, wait }: { ttl: number; wait: number }): string[] => {
  const watchdog = mappingOf(file['watchdog'])
  // As `parse_mode` of patroni/watchdog/base.py.
  if (!['require', 'required'].includes(wordOf(watchdog['mode'])))
    return [
      'synchronous_mode quorum without watchdog.mode required: a primary whose Patroni hangs goes on, and the other standby acknowledges its commits after the vote for a new primary',
    ]
  // docs/watchdog.rst of Patroni, "Safety margin".
  if (watchdog['safety_margin'] !== -1)
    return [
      'synchronous_mode quorum needs watchdog.safety_margin -1: with a margin in seconds, a Patroni that stands still after it has renewed its key may restart its machine too late',
    ]
  if (wait > Math.floor(ttl / 2))
    return [`loop_wait ${wait} is more than half of ttl ${ttl}: the watchdog can't be started, and no machine leads`]
  return []
}
