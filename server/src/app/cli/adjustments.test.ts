/** Adjustments as two people type them, under the database role of operators. */
import { randomBytes, randomUUID } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { createDatabase, type TestDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import { applyGrants, createRolesSql, DATABASE_ROLES, roleName } from '../../platform/db/roles.ts'
import { applyAll, PLATFORM } from '../../ledger/postings/index.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const prefix = `t${inject('runId')}_adjustments`
let database: TestDatabase
const MERCHANT = randomUUID()
let folder: string
let env: Record<string, string>
let db: Db
let close: () => Promise<void>
const path = (name: string): string => join(folder, name)
const newId = () => uuidv7(Date.now(), randomBytes(10))

beforeAll(async () => {
  database = await createDatabase({ template: migrated })
  await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    for (const statement of createRolesSql(prefix, rows[0]!.name)) await client.query(statement)
  })
  await applyGrants(database.url, prefix)
  const user = roleName(prefix, 'operator')
  const withUser = database.url.replace(/([?&]user=)[^&]*/, `$1${user}`)
  const operatorUrl = withUser === database.url ? database.url.replace(/\/\/([^@/]*@)?/, `//${user}@`) : withUser
  expect(operatorUrl).toContain(user)
  folder = temporaryFolder('adjustments')
  const pool = createPool({ url: database.url })
  db = createDb(pool)
  close = () => pool.end()
  const file = (name: string, content: unknown): string => {
    writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
    return path(name)
  }
  const crypto = [
    { ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, minDeposit: '1', minWithdrawal: '1' } } },
  ]
  env = {
    DATABASE_URL: operatorUrl,
    BURSAR_DATABASE_ROLES: prefix,
    BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
    BURSAR_LOG_LEVEL: 'silent',
    BURSAR_ASSETS_FILE: file('assets.json', { crypto, fiat: [] }),
    BURSAR_NETWORKS_FILE: file('networks.json', {}),
    BURSAR_XPUBS_FILE: file('xpubs.json', { ...TEST_KEYS, masterFingerprint: '00000000' }),
  }
  await makeMerchant(db, Date.now(), { id: MERCHANT })
  const entries = (
    [
      ['suspense', 5_000_000n],
      ['custody:TRON', -5_000_000n],
    ] as const
  ).map(([kind, posted]) => ({ account: { merchantId: PLATFORM, asset: 'TRX', kind }, posted, held: 0n }))
  await inTransaction(db, (tx) =>
    applyAll(tx, [
      {
        transfer: {
          id: newId(),
          merchantId: PLATFORM,
          kind: 'post',
          cause: { kind: 'adjustment', id: newId() },
          entries,
          at: new Date(),
        },
      },
    ]),
  )
})
afterAll(async () => {
  await close()
  await database.drop()
  await withClient(inject('postgresUrl'), async (client) => {
    for (const kind of Object.keys(DATABASE_ROLES).toReversed())
      await client.query(`drop role if exists ${roleName(prefix, kind as keyof typeof DATABASE_ROLES)}`)
  })
})

const type = async (...words: string[]) => {
  const { code, out, err } = await captured(() => runCommand(words, env, null))
  return { code, out: out.trim(), err: err.trim() }
}

test('audit M-D1: one person proposes, another signs offline, and the books are moved and show it', async () => {
  const key = path('bob.pem')
  const { out: publicKey } = await type('person', 'key', '--out', key)
  expect(statSync(key).mode & 0o777).toBe(0o600)
  expect(await type('person', 'enrol', 'bob', publicKey, 'bob')).toMatchObject({ code: 0, out: 'bob is enrolled' })

  const proposed = await type(
    'adjust',
    '2.5',
    'ticket',
    '7',
    '--asset',
    'TRX',
    '--from',
    'suspense',
    '--to',
    `merchant:${MERCHANT}`,
  )
  expect(proposed).toMatchObject({ code: 0 })
  expect(proposed.out).toMatch(
    /^bursar adjustment v1\ndatabase: .+\nid: .+\nasset: TRX\namount: 2\.5\nunits: 2500000\nfrom: suspense\nto: merchant:.+\naddress: none\ndeposit: none\nproposed by: cli:.+\nproposed at: .+\nreason: ticket 7$/,
  )
  const id = /^id: (.+)$/m.exec(proposed.out)![1]!
  expect((await type('adjust', 'text', id)).out).toBe(proposed.out)
  expect((await type('adjust', 'list', '--open')).out).toMatch(
    /2\.5 TRX from suspense to merchant:.*not signed: ticket 7/,
  )

  writeFileSync(path('text'), proposed.out)
  const signed = await type('adjust', 'sign', '--key', key, '--text', path('text'))
  expect(signed.err).toBe(proposed.out)
  expect(await type('adjust', 'apply', id, 'bob', signed.out)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes') as string,
  })
  expect(await type('adjust', 'apply', id, 'bob', `${signed.out.slice(2)}ab`, '--yes')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/not by the enrolled key of bob.*have bob sign what `bursar adjust text/) as string,
  })
  expect(await type('adjust', 'apply', id, 'bob', signed.out, '--yes')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/signed by bob: ticket 7$/) as string,
  })
  expect((await type('adjust', 'list', '--open')).out).toBe('none')

  const reconciled = await type('reconcile')
  expect(reconciled.out).toMatch(/^adjustment .*: 2\.5 TRX from suspense to merchant:.*signed by bob: ticket 7$/m)
  expect(reconciled).toMatchObject({ code: 0 })
})

test('a wrong account or amount is refused with the accepted ones', async () => {
  const adjust = (from: string, to: string, amount = '1') =>
    type('adjust', amount, 'why', '--asset', 'TRX', '--from', from, '--to', to)
  expect(await adjust('cash', 'capital')).toMatchObject({
    code: 2,
    err: expect.stringContaining('write one of merchant, suspense') as string,
  })
  expect(await adjust('suspense', 'capital', '-1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('exchange --from and --to') as string,
  })
  expect(await adjust('suspense', 'capital', '99')).toMatchObject({
    code: 1,
    err: expect.stringContaining('less than 99') as string,
  })
  expect(await type('adjust', 'sign', '--key', path('key'), '--text', path('assets.json'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('neither the text') as string,
  })
})
