/** Alerts as the operator sees and ends them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useInstallation } from '../../../../test/world/installation.ts'
import { ALERT_KINDS, type AlertKind } from '../../platform/runtime/alert-kinds.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()

beforeEach(() => emptyTables(db))

const bursar = async (...args: string[]): Promise<{ code: number; text: string }> => {
  const before = process.exitCode
  try {
    return await captured(() => runCommand(args, env))
  } finally {
    process.exitCode = before
  }
}
const [EVENT, STATE, OTHER] = ['1', '2', '3'].map((n) => `0${n}a1fb67-1be8-7cc8-9d07-1217127e4ef0`) as [
  string,
  string,
  string,
]
const raise = (id: string, kind: AlertKind) =>
  raiseAlert(db, { kind, subject: 'x', text: `text of ${kind}` }, { at: new Date(), newId: () => id })
const open = async () =>
  (await sql<{ kind: string }>`select kind from alerts where resolved_at is null`.execute(db)).rows.map(
    ({ kind }) => kind,
  )

test('an alert of something that has happened is ended by a person, once, with a note; one of a state is not', async () => {
  await raise(EVENT, 'withdrawal-impossible')
  await raise(STATE, 'hot-wallet-short')
  const listed = (await bursar('alerts')).text
  expect(listed).toContain(`text of withdrawal-impossible [${EVENT}]`)
  expect(listed).not.toContain(STATE)

  const refused = await bursar('alerts', 'end', STATE, 'topped', 'up')
  expect([refused.code, refused.text]).toEqual([1, expect.stringContaining('hot-wallet-short reports a condition')])
  expect(await open()).toEqual(['withdrawal-impossible', 'hot-wallet-short'])

  expect((await bursar('alerts', 'end', EVENT, 'told', 'the', 'merchant')).code).toBe(0)
  expect(await open()).toEqual(['hot-wallet-short'])
  const { rows } = await sql<{ detail: object }>`select detail from alerts where id = ${EVENT}`.execute(db)
  expect(rows[0]!.detail).toMatchObject({ note: 'told the merchant', endedBy: expect.stringMatching(/^cli:/) })

  for (const id of [EVENT, OTHER, 'x']) expect((await bursar('alerts', 'end', id, 'again')).code).toBe(1)
})

test('the page of the handbook that an alert names is about it', () => {
  const folder = join(import.meta.dirname, '../../../../docs/operating')
  const named = Object.entries(ALERT_KINDS).filter(([kind, { page }]) => page !== null && !kind.endsWith('*'))
  const astray = named.filter(([kind, { page }]) => !readFileSync(join(folder, page!), 'utf8').includes(`\`${kind}\``))
  expect(astray).toEqual([])
})
