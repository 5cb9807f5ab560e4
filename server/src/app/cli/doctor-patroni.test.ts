import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportPatroni } from './doctor-patroni.ts'
import { NotPlain, readPlainYaml } from './plain-yaml.ts'

const GOOD = readFileSync(new URL('../../../../deploy/ha/patroni.yml', import.meta.url), 'utf8')
/** Answers of Patroni 4.0.7, recorded in `npm run failover`. */
const RECORDED: Record<string, string> = {
  '/patroni':
    '{"state": "running", "role": "primary", "server_version": 170012, "timeline": 3, "patroni": {"version": "4.0.7", "scope": "bursar", "name": "db1"}}',
  '/config':
    '{"ttl": 20, "loop_wait": 3, "retry_timeout": 5, "synchronous_mode": true, "synchronous_mode_strict": true, "synchronous_node_count": 1, "postgresql": {"use_slots": true, "use_pg_rewind": true, "parameters": {"synchronous_commit": "on", "wal_log_hints": "on"}}}',
  '/cluster':
    '{"members": [{"name": "db1", "role": "replica", "state": "running", "timeline": 3, "lag": 14242896}, {"name": "db2", "role": "leader", "state": "running", "timeline": 4}, {"name": "db3", "role": "sync_standby", "state": "streaming", "timeline": 4, "lag": 0}], "scope": "bursar"}',
}

let dir: string
let server: Server
let answers: Record<string, string>
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-patroni-'))
  server = createServer((request, response) => response.end(answers[request.url!]))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  rmSync(dir, { recursive: true })
})

const reported = async (place: string): Promise<{ bad: string[]; notes: string[] }> => {
  const bad: string[] = []
  const notes: string[] = []
  await reportPatroni(
    place,
    undefined,
    (good, text) => void (good || bad.push(text)),
    (text) => void notes.push(text),
  )
  return { bad, notes }
}

/** The faults of the file of deploy/ha with one line changed. */
const changed = async (from: string | RegExp, to: string): Promise<string[]> => {
  const text = GOOD.replace(from, to)
  expect(text).not.toBe(GOOD)
  writeFileSync(join(dir, 'patroni.yml'), text)
  return (await reported(join(dir, 'patroni.yml'))).bad
}

test('P5 the file of deploy/ha has no fault', async () => {
  writeFileSync(join(dir, 'patroni.yml'), GOOD)
  const { bad, notes } = await reported(join(dir, 'patroni.yml'))
  expect(bad).toEqual([])
  expect(notes).toEqual([expect.stringContaining('watchdog'), expect.stringContaining('bootstrap.dcs')])
})

test.each([
  ['synchronous_mode: true', 'synchronous_mode: false', 'synchronous_mode is off'],
  ['    synchronous_mode: true\n', '', 'synchronous_mode is off'],
  ['synchronous_mode_strict: true', 'synchronous_mode_strict: off', 'synchronous_mode_strict is off'],
  ["synchronous_commit: 'on'", "synchronous_commit: 'off'", 'synchronous_commit is off'],
  ["synchronous_commit: 'on'", "synchronous_commit: 'no'", 'synchronous_commit is off'],
  ["synchronous_commit: 'on'", 'SYNCHRONOUS_COMMIT: 0', 'synchronous_commit is off'],
  ["synchronous_commit: 'on'", 'synchronous_commit: Local', 'synchronous_commit is local'],
  ["synchronous_commit: 'on'", 'synchronous_commit: "remote_write"', 'remote_write'],
  [
    '    unix_socket_directories',
    '    synchronous_commit: off\n    unix_socket_directories',
    'synchronous_commit is off',
  ],
  ['wal_keep_size: 1GB', 'fsync: off', 'fsync is off'],
  ['wal_keep_size: 1GB', "fsync: 'F'", 'fsync is off'],
  ['      parameters:', '      parameters_replica:\n        fsync: 0\n      parameters:', 'fsync is off'],
  [
    '      parameters:',
    '      parameters_primary:\n        synchronous_commit: local\n      parameters:',
    'synchronous_commit is local',
  ],
  ['    ttl: 20', '    standby_cluster:\n      host: 10.99.0.1\n    ttl: 20', 'synchronous_mode has no effect'],
  ['maximum_lag_on_failover: 1048576', 'maximum_lag_on_failover: -1', 'is not promoted'],
  ['retry_timeout: 5', 'retry_timeout: 10', 'more than ttl 20'],
  ['etcd3:', 'etcd3:\n  hosts: 10.88.0.11:2379', '1 machine of etcd'],
])('P5 D1 D2 a setting of Patroni that loses commits is refused: %s -> %s', async (from, to, fault) => {
  expect(await changed(from, to)).toEqual([expect.stringContaining(fault)])
})

test('P5 pg_rewind needs checksums or hints', async () => {
  expect(await changed("        wal_log_hints: 'on'\n", '')).toEqual([])
  const without = GOOD.replace("        wal_log_hints: 'on'\n", '').replace('    - data-checksums\n', '')
  writeFileSync(join(dir, 'patroni.yml'), without)
  expect((await reported(join(dir, 'patroni.yml'))).bad).toEqual([expect.stringContaining('use_pg_rewind')])
})

test('the output of patronictl show-config is read, and a file of something else is refused', async () => {
  const path = join(dir, 'shown.yml')
  writeFileSync(
    path,
    'loop_wait: 3\nretry_timeout: 5\nttl: 20\nsynchronous_mode: false\nsynchronous_mode_strict: true\n',
  )
  expect((await reported(path)).bad).toEqual([expect.stringContaining('synchronous_mode is off')])
  writeFileSync(path, 'unrelated: 1\n')
  expect((await reported(path)).bad).toEqual([expect.stringContaining('neither')])
  writeFileSync(path, 'bootstrap: {dcs: {}}\n')
  expect((await reported(path)).bad).toEqual([expect.stringContaining('line 1')])
  expect((await reported(join(dir, 'absent'))).bad).toEqual([expect.stringContaining("can't be read")])
})

test.each([
  ['3.0.2', 'without a comparison'],
  ['4.0.5', 'stale member'],
  ['4.0.6', undefined],
  ['4.1.0', undefined],
  ['10.0.0', undefined],
])('P5 D3 the running version %s', async (version, fault) => {
  answers = { ...RECORDED, '/patroni': RECORDED['/patroni']!.replace('4.0.7', version) }
  const { bad } = await reported(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(bad).toEqual(fault === undefined ? [] : [expect.stringContaining(fault)])
})

test('P5 the settings in force are asked by the REST API', async () => {
  const place = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  answers = {
    ...RECORDED,
    '/config': RECORDED['/config']!.replace('"synchronous_mode": true', '"synchronous_mode": null'),
  }
  expect((await reported(place)).bad).toEqual([expect.stringContaining('synchronous_mode is off')])
  answers = { ...RECORDED, '/cluster': RECORDED['/cluster']!.replace('sync_standby', 'replica') }
  expect((await reported(place)).bad).toEqual([expect.stringContaining('no standby is synchronous')])
  // Roles as `cluster_as_json` of patroni/utils.py writes them: `quorum_standby` with synchronous_mode quorum.
  answers = { ...RECORDED, '/cluster': RECORDED['/cluster']!.replace('sync_standby', 'quorum_standby') }
  expect((await reported(place)).bad).toEqual([])
  answers = { ...RECORDED, '/cluster': RECORDED['/cluster']!.replace('"leader"', '"replica"') }
  expect((await reported(place)).bad).toEqual([expect.stringContaining('no machine leads')])
  answers = { ...RECORDED, '/cluster': '{"scope": "bursar"}' }
  expect((await reported(place)).bad).toEqual([
    expect.stringContaining('no machine leads'),
    expect.stringContaining('no standby is synchronous'),
  ])
  answers = { ...RECORDED, '/config': 'not found' }
  expect((await reported(place)).bad).toEqual([expect.stringContaining("can't be read")])
})

test('plain YAML: mappings, lists, quotes and comments', () => {
  const text = `# a comment
a: 'it''s'   # another
b:
  - x
  - name: 1
    on: off
  - "two: words"
c:
- 5
d: http://h:1/#part
e:
f: "#no comment"
'g h': ~
`
  expect(readPlainYaml(text)).toEqual({
    a: "it's",
    b: ['x', { name: 1, on: false }, 'two: words'],
    c: [5],
    d: 'http://h:1/#part',
    e: null,
    f: '#no comment',
    'g h': null,
  })
  expect(readPlainYaml('{"a": [1]}')).toEqual({ a: [1] })
})

test.each([
  'a: {b: 1}',
  'a: [1]',
  'a: &x 1',
  'a: |\n  text',
  'a: 1\na: 2',
  'a: 1\n  b: 2',
  'a',
  '- a\nb: 1',
  '{',
  'a: "\\n"',
])('YAML that is not plain is refused: %j', (text) => {
  expect(() => readPlainYaml(text)).toThrow(NotPlain)
})
