/**
 * A person with a password of the database writes money into the books: nothing that it would pay for is ever signed.
 * Rows are inserted raw: no command writes them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { startSandbox, type Sandbox } from './sandbox.ts'

const UNIT = 10n ** 18n
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5' })
  const [shop, market] = sandbox.merchants
  await sandbox.credit(shop, 'USDT', '5000')
  await sandbox.credit(market, 'USDT', '1000')
})
afterAll(() => sandbox?.stop())

const market = () => sandbox.merchants[1]
const urlAs = (role: string): string => sandbox.database.replace(/user=[^&]*/, `user=bursar_${role}`)
const accountOf = async (): Promise<{ id: number; posted: bigint }> => {
  const [row] = await sandbox.query<{ id: string; posted: string }>(
    "select id, posted from ledger_accounts where merchant_id = $1 and asset = 'USDT' and kind = 'merchant'",
    [market().id],
  )
  return { id: Number(row!.id), posted: BigInt(row!.posted) }
}
const withdraw = async (amount: string): Promise<string> => {
  const to = await sandbox.outside('ETHEREUM')
  const { id } = await market().client.withdrawals.crypto.create({ ticker: 'USDT', blockchain: 'ETHEREUM', to, amount })
  return id
}
const alerted = (what: string): Promise<string> =>
  sandbox.until(`an alert with ${what}`, async () =>
    (await sandbox.query<{ text: string }>('select text from alerts where resolved_at is null'))
      .map(({ text }) => text)
      .find((text) => text.includes(what)),
  )
/** The audit and the walk of invariants find the same, each in its own time. */
const stops = (): Promise<object[]> =>
  sandbox.query('select distinct asset, merchant_id from freezes where lifted_at is null order by asset')
/** Whether the signer's log has the payment that a withdrawal asks for. */
const signed = async (id: string): Promise<boolean> => {
  const [row] = await sandbox.query<{ intent: string | null }>(
    'select coalesce(intent_id, id) as intent from withdrawals where id = $1',
    [id],
  )
  return readdirSync(sandbox.dir)
    .filter((name) => name.startsWith('signer.log'))
    .some((name) => readFileSync(join(sandbox.dir, name)).includes(row!.intent!))
}
const lift = (): Promise<object[]> => sandbox.query('update freezes set lifted_at = now() where lifted_at is null')

describe('a balance of which no entry knows', () => {
  test.each(['api', 'worker', 'watcher', 'operator'] as const)('audit S-3: can not be written as %s', async (role) => {
    const { id, posted } = await accountOf()
    const write = withClient(urlAs(role), (client) =>
      client.query('update ledger_accounts set posted = posted + $2 where id = $1', [id, String(400n * UNIT)]),
    )
    await expect(write).rejects.toThrow('changes without the entry that explains it')
    expect((await accountOf()).posted).toBe(posted)
  })

  test('audit S-3: written by a user who can switch triggers off, it pays for nothing, and stops the asset and the merchant', async () => {
    const { id } = await accountOf()
    await withClient(sandbox.database, async (client) => {
      await client.query('begin')
      await client.query('set local session_replication_role = replica')
      await client.query('update ledger_accounts set posted = posted + $2 where id = $1', [id, String(400n * UNIT)])
      await client.query('commit')
    })
    await expect(withdraw('1300')).rejects.toThrow()
    expect(await sandbox.query('select from withdrawals where merchant_id = $1', [market().id])).toEqual([])
    await alerted(`Account ${id} (merchant of merchant ${market().id} in USDT) can't be proved`)
    expect(await stops()).toEqual([
      { asset: 'USDT', merchant_id: null },
      { asset: null, merchant_id: market().id },
    ])
    const restored = await sandbox.bursar('audit', 'restore', String(id), '--yes')
    expect(restored.text).toContain('the account is proved again')
    await lift()
  })
})

test('audit S-3: a balanced forgery is found before the withdrawal it would pay for is signed', async () => {
  const { id } = await accountOf()
  // Two accounts, a transfer, an entry for each that goes on from the one before: every sum holds.
  await withClient(sandbox.database, async (client) => {
    await client.query(
      `with t as (insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, created_at)
        values ($1, gen_random_uuid(), 'post', 'deposit', gen_random_uuid(), now()) returning id),
      n as (update ledger_accounts a set posted = posted + m.units, version = version + 1 from (select case kind when 'merchant' then $2::numeric else -$2::numeric end as units, id from ledger_accounts
        where merchant_id = $1 and asset = 'USDT' and kind in ('merchant', 'clearing')) m where a.id = m.id returning a.*, m.units)
      insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after)
        select n.id, n.version, t.id, n.units, 0, n.posted, n.held from n, t`,
      [market().id, String(400n * UNIT)],
    )
  })
  const withdrawal = await withdraw('1300')
  expect(await alerted(`Account ${id} `)).toContain('which does not exist')
  const [row] = await sandbox.query('select state, outgoing_id from withdrawals where id = $1', [withdrawal])
  expect(row).toEqual({ state: 'requested', outgoing_id: null })
  await lift()
  // Its account is not proved, whatever is lifted; another merchant's is, and is paid.
  const [shop] = sandbox.merchants
  const other = await shop.client.withdrawals.crypto.create({
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to: await sandbox.outside('ETHEREUM'),
    amount: '5',
  })
  await sandbox.notified(shop, { id: other.id, status: 'Done' })
  expect(await signed(other.id)).toBe(true)
  expect(await signed(withdrawal)).toBe(false)
})
