import { readFile } from 'node:fs/promises'
import type { Report } from './doctor-acquirers.ts'
import type { Note } from './doctor-networks.ts'
import {
  answersWithoutCertificate,
  askPatroni,
  hostsOf,
  isLoopback,
  problemsOfTls,
  readPatroniClient,
  withoutUser,
} from './patroni-tls.ts'
import { isQuorum, problemsOfFence, problemsOfQuorum, replicationFactor, switchOf, wordOf } from './patroni-quorum.ts'
import { mappingOf, readPlainYaml, textOf, type PlainValue } from './plain-yaml.ts'

type Mapping = Readonly<Record<string, PlainValue>>

/** The first version whose failover compares the leader's key (pull request 2693 of Patroni). */
const COMPARES = [3, 0, 3]
/** The first version that detects a stale member of etcd (pull request 3318 of Patroni). */
const DETECTS = [4, 0, 6]
/** Patroni's values when a setting is absent (patroni/config.py). */
const STANDARD = { ttl: 30, loop_wait: 10, retry_timeout: 10 }

const FENCE =
  'patroni: synchronous_mode quorum needs watchdog.mode required and watchdog.safety_margin -1 on each machine: check its patroni.yml'

/**
 * Reports settings of Patroni with which a failover loses acknowledged commits, or does not end, or another machine
 * decides which machine leads.
 * @param place the file patroni.yml, or the URL of the REST API of one machine: the API has the settings in force
 * @param folder of the certificate with which the REST API is asked: `ca.crt`, `client.crt`, `client.key`
 */
export const reportPatroni = async (
  place: string,
  folder: string | undefined,
  report: Report,
  note: Note,
): Promise<void> => {
  try {
    if (/^https?:\/\//.test(place)) await reportRunning(place.replace(/\/+$/, ''), folder, report, note)
    else reportFile(await readFile(place, 'utf8'), report, note)
  } catch (error) {
    report(false, `patroni: ${withoutUser(place)} can't be read: ${(error as Error).message}`)
  }
}

const reportFile = (text: string, report: Report, note: Note): void => {
  const file = mappingOf(readPlainYaml(text))
  const bootstrap = mappingOf(file['bootstrap'])
  const dcs = mappingOf(bootstrap['dcs'])
  if (file['bootstrap'] === undefined && file['synchronous_mode'] === undefined)
    return report(false, 'patroni: the file has neither bootstrap.dcs nor the output of `patronictl show-config`')
  const isLocal = file['bootstrap'] !== undefined
  const hasChecksums = JSON.stringify(bootstrap['initdb'] ?? null).includes('data-checksums')
  reportDynamic(isLocal ? dcs : file, { local: mappingOf(file['postgresql']), hasChecksums }, report, note)
  if (!isLocal) return isQuorum(file) ? note(FENCE) : undefined
  reportLocal(file, dcs, report, note)
  note(
    'patroni: bootstrap.dcs counts only when the cluster is made: check the settings in force too, by the URL of the REST API',
  )
}

const reportRunning = async (url: string, folder: string | undefined, report: Report, note: Note): Promise<void> => {
  const client = folder === undefined ? undefined : readPatroniClient(folder)
  const ask = async (path: string): Promise<Mapping> => mappingOf((await askPatroni(url + path, client)) as PlainValue)
  const version = textOf(mappingOf((await ask('/patroni'))['patroni'])['version'])
  reportVersion(version, report)
  if (url.startsWith('http:') && !isLoopback(url))
    report(false, 'patroni: the REST API answers without TLS: another machine can restart or switch over the database')
  await reportStrangers(url, client, '', report, note)
  const dcs = await ask('/config')
  reportDynamic(dcs, { local: {}, hasChecksums: undefined }, report, note)
  if (isQuorum(dcs)) note(FENCE)
  const cluster = await ask('/cluster')
  const members = Array.isArray(cluster['members']) ? cluster['members'].map(mappingOf) : []
  const roles = members.map((member) => textOf(member['role']))
  const standbys = roles.filter((role) => role === 'sync_standby' || role === 'quorum_standby').length
  report(roles.includes('leader'), `patroni: ${roles.includes('leader') ? 'a machine leads' : 'no machine leads'}`)
  report(
    standbys > 0,
    standbys > 0
      ? `patroni: ${standbys} synchronous standby of ${roles.length} machines`
      : 'patroni: no standby is synchronous: commits wait, and no machine can be promoted',
  )
  await reportOthers(url, members, client, report, note)
  if (!isQuorum(dcs) || standbys === 0) return
  // `quorum` of patroni/quorum.py, and the machine that is promoted.
  const needed = standbys - replicationFactor(dcs, standbys) + 1
  note(`patroni: after the loss of the primary, ${needed} of ${standbys} standbys must answer before one is promoted`)
}

/** Reports a REST API with TLS that answers a client without a certificate. */
const reportStrangers = async (
  url: string,
  client: Parameters<typeof askPatroni>[1],
  of: string,
  report: Report,
  note: Note,
): Promise<void> => {
  if (!url.startsWith('https:')) return
  try {
    const isOpen = await answersWithoutCertificate(`${url}/patroni`, client?.ca)
    const fault = `patroni: the REST API${of} answers a client without a certificate: with verify_client none, another machine can restart or switch over the database. Set verify_client: required`
    report(!isOpen, isOpen ? fault : `patroni: the REST API${of} answers no client without a certificate`)
  } catch (error) {
    note(
      `patroni: whether the REST API${of} answers a client without a certificate is unknown: ${(error as Error).message}`,
    )
  }
}

/** Reports the versions of the other machines: each of them can lead, and one before 4.0.0 reads `quorum` as off. */
const reportOthers = async (
  url: string,
  members: readonly Mapping[],
  client: Parameters<typeof askPatroni>[1],
  report: Report,
  note: Note,
): Promise<void> => {
  for (const member of members) {
    const place = textOf(member['api_url'])
    if (place === '' || new URL(place).origin === new URL(url).origin) continue
    const name = textOf(member['name'])
    try {
      const answer = mappingOf((await askPatroni(place, client)) as PlainValue)
      const version = textOf(mappingOf(answer['patroni'])['version'])
      if (version === '') throw new Error('its answer has none')
      reportVersion(version, report, ` of ${name}`)
      await reportStrangers(new URL(place).origin, client, ` of ${name}`, report, note)
    } catch (error) {
      note(`patroni: the version of ${name} is unknown: ${(error as Error).message}`)
    }
  }
}

const reportVersion = (version: string, report: Report, of = ''): void => {
  const parts = version.split('.').map(Number)
  const isBefore = (least: readonly number[]): boolean => {
    const at = least.findIndex((part, index) => (parts[index] ?? 0) !== part)
    return at !== -1 && !((parts[at] ?? 0) > least[at]!)
  }
  const why = isBefore(COMPARES)
    ? 'a machine that was cut off takes the lead back without a comparison: a test lost up to 87,836 acknowledged rows'
    : isBefore(DETECTS)
      ? 'it can follow a stale member of etcd'
      : undefined
  report(
    why === undefined,
    `patroni: version ${version}${of}${why === undefined ? '' : ` loses commits: ${why}. Install 4.0.6 or newer`}`,
  )
}

interface Surroundings {
  /** `postgresql` of the file: its parameters override those of the cluster */
  local: Mapping
  /** undefined: unknown */
  hasChecksums: boolean | undefined
}

/** Reports the dynamic configuration, which is the same on all machines. */
const reportDynamic = (dcs: Mapping, { local, hasChecksums }: Surroundings, report: Report, note: Note): void => {
  const wrong: string[] = []
  if (switchOf(dcs['synchronous_mode']) !== true && !isQuorum(dcs))
    wrong.push(
      'synchronous_mode is off: a failover loses the commits that the standby does not have yet, up to maximum_lag_on_failover bytes',
    )
  if (!isOn(dcs['synchronous_mode_strict']))
    wrong.push(
      'synchronous_mode_strict is off: without a standby the primary acknowledges commits alone, and they are lost with it',
    )
  const standby = mappingOf(dcs['standby_cluster'])
  // `is_standby_cluster` of patroni/global_config.py
  if (['host', 'port', 'restore_command'].some((name) => (standby[name] ?? '') !== ''))
    wrong.push('standby_cluster: the cluster follows another one, and synchronous_mode has no effect')
  const postgresql = mappingOf(dcs['postgresql'])
  const parameters = parametersOf(postgresql, local, 'parameters')
  // Later versions of Patroni also read those of one role, which override the others (docs/dynamic_configuration.rst).
  for (const role of ['parameters', 'parameters_primary', 'parameters_replica'])
    wrong.push(...problemsOfParameters(parametersOf(postgresql, local, role)))
  const hints = isOn(parameters['wal_log_hints'])
  if (isOn(postgresql['use_pg_rewind']) && !hints && hasChecksums === false)
    wrong.push(
      'use_pg_rewind needs data-checksums (initdb) or wal_log_hints: without them the previous primary can not join again',
    )
  const [ttl, wait, retry] = (['ttl', 'loop_wait', 'retry_timeout'] as const).map((name) =>
    Number(dcs[name] ?? STANDARD[name]),
  ) as [number, number, number]
  if (!(wait + 2 * retry <= ttl))
    wrong.push(
      `loop_wait ${wait} + 2 × retry_timeout ${retry} is more than ttl ${ttl}: a primary may lose its lead before it knows`,
    )
  // `is_lagging` of patroni/ha.py. Above 0 it never allows what the rules of synchronous standbys refuse.
  if (Number(dcs['maximum_lag_on_failover'] ?? 0) < 0)
    wrong.push('maximum_lag_on_failover is below 0: a standby that lacks nothing is not promoted')
  wrong.push(...problemsOfQuorum(dcs))
  for (const text of wrong) report(false, `patroni: ${text}`)
  if (wrong.length === 0)
    report(
      true,
      isQuorum(dcs)
        ? 'patroni: each commit is on two machines, and a machine is promoted only when enough others answer that their log is not longer'
        : 'patroni: each commit is on two machines, and only such a machine is promoted',
    )
  if (isOn(dcs['pause']))
    note('patroni: the cluster is paused: no machine is promoted by itself, and the watchdog is off')
  if (!isOn(postgresql['use_pg_rewind']))
    note('patroni: use_pg_rewind is off: a previous primary may need a new base backup before it follows')
  if (isOn(postgresql['use_pg_rewind']) && !hints && hasChecksums === undefined)
    note('patroni: wal_log_hints is off: pg_rewind needs data checksums')
  if (isOn(dcs['failsafe_mode']))
    note('patroni: failsafe_mode is on: a primary goes on without etcd while it reaches all machines')
}

/** `postgresql.parameters`, or those of one role. PostgreSQL does not distinguish capital letters in their names. */
const parametersOf = (cluster: Mapping, local: Mapping, section: string): Mapping =>
  Object.fromEntries(
    [cluster, local].flatMap((of) =>
      Object.entries(mappingOf(of[section])).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  )

const problemsOfParameters = (parameters: Mapping): string[] => {
  const problems: string[] = []
  const commit = parameters['synchronous_commit']
  const word = wordOf(commit)
  if (word === 'remote_write')
    problems.push('synchronous_commit is remote_write: the standby may lose a commit when its machine stops')
  else if (commit !== undefined && commit !== null && switchOf(commit) !== true && word !== 'remote_apply')
    problems.push(
      `synchronous_commit is ${switchOf(commit) === false ? 'off' : word}: commits do not wait for the disk of the standby`,
    )
  for (const name of ['fsync', 'full_page_writes'])
    if (isOff(parameters[name])) problems.push(`${name} is off: a machine that stops damages its database`)
  return problems
}

/** Reports the settings of one machine. */
const reportLocal = (file: Mapping, dcs: Mapping, report: Report, note: Note): void => {
  const watchdog = mappingOf(file['watchdog'])
  const times = { ttl: Number(dcs['ttl'] ?? STANDARD.ttl), wait: Number(dcs['loop_wait'] ?? STANDARD.loop_wait) }
  if (isQuorum(dcs)) for (const problem of problemsOfFence(file, times)) report(false, `patroni: ${problem}`)
  else if (watchdog['mode'] !== 'required')
    note(
      'patroni: watchdog.mode is not required: a machine whose Patroni hangs may go on as a second primary, which acknowledges nothing',
    )
  for (const problem of problemsOfTls(file)) report(false, `patroni: ${problem}`)
  const count = hostsOf(mappingOf(file['etcd3'] ?? file['etcd'])).length
  if (count > 0 && count < 3)
    report(false, `patroni: ${count} machine of etcd: without it no machine is promoted; use three`)
  if (file['etcd'] !== undefined)
    note('patroni: the section etcd uses the second API of etcd, which new versions do not have: use etcd3')
}

const isOn = (value: PlainValue | undefined): boolean => switchOf(value) === true

/** Whether PostgreSQL reads a value as off: it accepts each beginning of a word (src/backend/utils/adt/bool.c). */
const isOff = (value: PlainValue | undefined): boolean => {
  const word = wordOf(value)
  return word !== '' && (['0', 'of', 'off'].includes(word) || 'false'.startsWith(word) || 'no'.startsWith(word))
}
