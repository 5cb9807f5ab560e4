/**
 * Postings and withdrawals as plain SQL can write them with the password of the api's role. They are raw inserts,
 * because they are forged: no command writes them.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { makeRoles, type TestRoles } from '../setup/roles.ts'
import { useDb } from './database.ts'
import { createTestRuntime } from './runtime.ts'

export type ForgedEntry = readonly [kind: string, posted: number, held?: number, asset?: string]
export interface Forged {
  /** null: entries of a transfer that is there */
  transfer: { kind: string; cause: string; closes?: string } | null
  causeId?: string
  id?: string
  merchantId: string
  entries: readonly ForgedEntry[]
}

/** The subject of the forged rows: each test leaves the forgery that the audit has found. */
const FORGED = [
  'card-payout-hold',
  'deposit-block',
  'deposit-credited-once',
  'deposit-notified',
  'exchange-postings',
  'withdrawal-hold',
  'withdrawal-paid-once',
]

/** For the top of a test file: a database with this build's roles, and a connection as the api. */
export const useForgery = () => {
  const { url, db } = useDb({ breaks: FORGED })
  const runtime = createTestRuntime(db)
  const { newId } = runtime
  let roles: TestRoles
  let api: pg.Client
  beforeAll(async () => {
    roles = await makeRoles(url, 'forgery')
    await roles.grant()
    api = new pg.Client({ connectionString: roles.url('api') })
    await api.connect()
  })
  afterAll(async () => {
    await api?.end()
  })

  /**
   * Writes a posting with plain SQL as the api: accounts, transfer and entries, all sums and versions right.
   * @returns 'written', or the SQLSTATE that refused it
   */
  const forge = async ({
    transfer,
    causeId = randomUUID(),
    id = newId(),
    merchantId,
    entries,
  }: Forged): Promise<string> => {
    const unbounded = new Set(['capital', 'receivable', 'position', 'fees'])
    const list = JSON.stringify(
      entries.map(([kind, posted, held = 0, asset = 'USDT']) => ({
        kind,
        posted,
        held,
        asset,
        bounded: !unbounded.has(kind),
      })),
    )
    try {
      await api.query('begin')
      await api.query(
        `insert into ledger_accounts(merchant_id, asset, kind, bounded)
        select $1, asset, kind, bounded from jsonb_to_recordset($2::jsonb) l(kind text, asset text, bounded boolean) on conflict do nothing`,
        [merchantId, list],
      )
      if (transfer) {
        await api.query(
          'insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, closes, created_at) values ($1, $2, $3, $4, $5, $6, now())',
          [merchantId, id, transfer.kind, transfer.cause, causeId, transfer.closes ?? null],
        )
      }
      await api.query(
        `with l as (select a.id, l.posted, l.held from jsonb_to_recordset($2::jsonb) l(kind text, asset text, posted numeric, held numeric)
          join ledger_accounts a on a.merchant_id = $1 and a.asset = l.asset and a.kind = l.kind),
        n as (update ledger_accounts a set posted = a.posted + l.posted, held = a.held + l.held, version = a.version + 1 from l where a.id = l.id
          returning a.id, a.version, a.posted as p, a.held as h, l.posted, l.held)
        insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after) select id, version, $3, posted, held, p, h from n`,
        [merchantId, list, id],
      )
      await api.query('commit')
      return 'written'
    } catch (error) {
      await api.query('rollback')
      return (error as { code?: string }).code ?? String(error)
    }
  }

  /** A withdrawal that the api writes, on a hold of its own unless another one is named. */
  const withdrawal = async (merchantId: string, units: number, holdId?: string) => {
    const [id, hold] = [randomUUID(), holdId ?? newId()]
    if (holdId === undefined)
      expect(
        await forge({
          transfer: { kind: 'hold', cause: 'withdrawal' },
          causeId: id,
          id: hold,
          merchantId,
          entries: [['merchant', 0, units]],
        }),
      ).toBe('written')
    await api.query(
      `insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, state, internal, hold_id, not_before, created_at, updated_at)
      values ($1, $2, 'USDT', 'ETHEREUM', 'x', $3, 0, 'requested', false, $4, now(), now(), now())`,
      [merchantId, id, units, hold],
    )
    return { id, merchantId, ticker: 'USDT', hold }
  }

  return {
    runtime,
    forge,
    withdrawal,
    /** A statement as the api. */
    asApi: (text: string, values: unknown[]) => api.query(text, values),
    /** A connection to the database as a role of this build. */
    urlOf: (role: 'api' | 'operator') => roles.url(role),
  }
}
