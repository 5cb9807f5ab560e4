/**
 * `synchronous_mode: quorum` of Patroni. No recorded answers: the settings and the answers are written from Patroni's
 * documents (docs/replication_modes.rst, docs/watchdog.rst, docs/dcs_failsafe_mode.rst) and its source, versions 4.0.7
 * and 4.1.4 (patroni/ha.py, quorum.py, global_config.py, utils.py, watchdog/base.py).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportPatroni } from './doctor-patroni.ts'
import { replicationFactor } from './patroni-quorum.ts'

const QUORUM = readFileSync(new URL('../../../../deploy/ha/patroni.yml', import.meta.url), 'utf8')
  .replace('synchronous_mode: true', 'synchronous_mode: quorum')
  .replace('mode: automatic', 'mode: required')
  .replace('safety_margin: 5', 'safety_margin: -1')

let dir: string
let servers: Server[]
/** Answers of the three machines, by path. */
let answers: Record<string, unknown>[]
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-quorum-'))
  servers = [0, 1, 2].map((at) =>
    createServer((request, response) => response.end(JSON.stringify(answers[at]![request.url!]))),
  )
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(dir, { recursive: true })
})

const reported = async (place: string): Promise<{ bad: string[]; good: string[]; notes: string[] }> => {
  const said = { bad: [] as string[], good: [] as string[], notes: [] as string[] }
  await reportPatroni(
    place,
    undefined,
    (good, text) => void said[good ? 'good' : 'bad'].push(text),
    (text) => void said.notes.push(text),
  )
  return said
}

const ofFile = (text: string): ReturnType<typeof reported> => {
  writeFileSync(join(dir, 'patroni.yml'), text)
  return reported(join(dir, 'patroni.yml'))
}

const changed = (from: string, to: string): ReturnType<typeof reported> => {
  const text = QUORUM.replace(from, to)
  expect(text).not.toBe(QUORUM)
  return ofFile(text)
}

test('P5 quorum commit with a watchdog loses no acknowledged commit', async () => {
  const { bad, good, notes } = await ofFile(QUORUM)
  expect(bad).toEqual([])
  expect(good).toContainEqual(expect.stringContaining('when enough others answer that their log is not longer'))
  expect(notes).toEqual([expect.stringContaining('bootstrap.dcs')])
})

test.each([
  ['synchronous_mode: quorum', 'synchronous_mode: Quorum'],
  ['synchronous_node_count: 1', 'synchronous_node_count: 2'],
  // More than there are: Patroni reduces it. With strict it is never below 1.
  ['synchronous_node_count: 1', 'synchronous_node_count: 5'],
  ['synchronous_node_count: 1', 'synchronous_node_count: 0'],
  ['    synchronous_node_count: 1\n', ''],
  ['maximum_lag_on_failover: 1048576', 'maximum_lag_on_failover: 0'],
  ['maximum_lag_on_failover: 1048576', 'maximum_lag_on_failover: 1073741824'],
  ['maximum_lag_on_failover: 1048576', 'maximum_lag_on_syncnode: 1048576'],
  ['check_timeline: true', 'failsafe_mode: true'],
  ['check_timeline: true', 'primary_stop_timeout: 0'],
  ["synchronous_commit: 'on'", 'synchronous_commit: remote_apply'],
  ['mode: required', 'mode: Require'],
])('P5 a setting with quorum commit that loses nothing is accepted: %s -> %s', async (from, to) => {
  expect((await changed(from, to)).bad).toEqual([])
})

test.each([
  ['mode: required', 'mode: automatic', 'a primary whose Patroni hangs goes on'],
  ['  mode: required\n', '', 'a primary whose Patroni hangs goes on'],
  ['mode: required', 'mode: off', 'a primary whose Patroni hangs goes on'],
  ['safety_margin: -1', 'safety_margin: 5', 'may restart its machine too late'],
  ['  safety_margin: -1\n', '', 'may restart its machine too late'],
  ['loop_wait: 3\n    retry_timeout: 5', 'loop_wait: 12\n    retry_timeout: 4', 'no machine leads'],
  ['synchronous_mode_strict: true', 'synchronous_mode_strict: false', 'synchronous_mode_strict is off'],
  ["synchronous_commit: 'on'", 'synchronous_commit: remote_write', 'remote_write'],
  ['check_timeline: true', 'primary_stop_timeout: 10', 'the watchdog is switched off'],
  ['check_timeline: true', 'master_stop_timeout: 10', 'the watchdog is switched off'],
  ['retry_timeout: 5', 'retry_timeout: 10', 'more than ttl 20'],
  ['synchronous_mode: quorum', 'synchronous_mode: quorums', 'synchronous_mode is off'],
])('P5 D1 D2 a setting with quorum commit that loses commits is refused: %s -> %s', async (from, to, fault) => {
  expect((await changed(from, to)).bad).toEqual([expect.stringContaining(fault)])
})

test('P5 failsafe_mode and a pause are said', async () => {
  expect((await changed('check_timeline: true', 'failsafe_mode: on')).notes).toContainEqual(
    expect.stringContaining('failsafe_mode is on'),
  )
  const { bad, notes } = await changed('check_timeline: true', 'pause: true')
  expect(bad).toEqual([])
  expect(notes).toContainEqual(expect.stringContaining('no machine is promoted by itself, and the watchdog is off'))
})

test('P5 the settings in force, and the versions of all machines', async () => {
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const dcs = {
    ttl: 20,
    loop_wait: 3,
    retry_timeout: 5,
    synchronous_mode: 'quorum',
    synchronous_mode_strict: true,
    synchronous_node_count: 1,
    postgresql: { use_pg_rewind: true, parameters: { wal_log_hints: 'on' } },
  }
  const roles = ['leader', 'quorum_standby', 'quorum_standby']
  const use = (versions: string[], named = roles, settings: object = dcs): void => {
    answers = versions.map((version) => ({
      '/patroni': { patroni: { version } },
      '/config': settings,
      '/cluster': {
        members: named.map((role, at) => ({ name: `db${at + 1}`, role, api_url: `${urls[at]}/patroni` })),
      },
    }))
  }
  use(['4.0.7', '4.0.7', '4.1.4'])
  const all = await reported(urls[0]!)
  expect(all.bad).toEqual([])
  expect(all.good).toEqual(expect.arrayContaining(['patroni: version 4.0.7 of db2', 'patroni: version 4.1.4 of db3']))
  expect(all.notes).toEqual([
    expect.stringContaining('watchdog.safety_margin -1 on each machine'),
    expect.stringContaining('2 of 2 standbys must answer'),
  ])
  use(['4.0.7', '4.0.7', '3.3.2'])
  expect((await reported(urls[0]!)).bad).toEqual([expect.stringContaining('version 3.3.2 of db3 loses commits')])
  use(['4.0.7', '4.0.7', '4.0.7'], roles, { ...dcs, synchronous_node_count: 2 })
  expect((await reported(urls[0]!)).notes).toContainEqual(expect.stringContaining('1 of 2 standbys must answer'))
  use(['4.0.7', '4.0.7', '4.0.7'], ['leader', 'replica', 'replica'])
  expect((await reported(urls[0]!)).bad).toEqual([expect.stringContaining('no standby is synchronous')])
  use(['4.0.7', '4.0.7', '4.0.7'])
  answers[1]!['/patroni'] = 'stopped'
  expect((await reported(urls[0]!)).notes).toContainEqual(expect.stringContaining('the version of db2 is unknown'))
})

test.each([
  [undefined, 2, 1],
  [1, 2, 1],
  [2, 2, 2],
  [3, 2, 2],
  [0, 2, 1],
  ['2', 3, 2],
  ['many', 3, 1],
  [1, 0, 1],
])('synchronous_node_count %s with %i standbys: each commit waits for %i', (count, voters, factor) => {
  expect(replicationFactor(count === undefined ? {} : { synchronous_node_count: count }, voters)).toBe(factor)
})
