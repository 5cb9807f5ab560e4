/** The archive of a merchant with rows in every list and a ledger of its own, read back by its own check. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rowsIn, textsOf } from '../../../../test/world/archive.ts'
import { cases } from '../../../../test/setup/cases.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { useDb } from '../../../../test/world/database.ts'
import {
  fillListed,
  LISTED,
  LISTED_ROWS,
  LISTED_SINCE,
  listedWorld,
  MINUTE,
  OTHER,
} from '../../../../test/world/listed.ts'
import { makeMerchant, momentAt, newId } from '../../../../test/world/merchant.ts'
import { listRoutes } from '../../app/composition/lists.ts'
import { applyAll } from '../../ledger/postings/index.ts'
import { setSetting } from '../../merchants/accounts/index.ts'
import { emit } from '../../merchants/webhooks/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { zipOf } from '../../platform/zip/writing.ts'
import { textOf, unitsOf } from './amounts.ts'
import { archiveOf, type PartSize } from './archive.ts'
import { verifyArchive } from './verifying.ts'

const { db } = useDb()
const folder = temporaryFolder('archive')
const ROWS = 2_500
const NOW = LISTED_SINCE + 2_000_000 * MINUTE
let privateKey = ''

const deps = () => {
  const world = listedWorld(db)
  const { runtime, catalogue, publicUrl } = world
  return { db, clock: runtime.clock, catalogue, publicUrl, lists: listRoutes(world) }
}

const book = (merchantId: string, asset: string, posted: bigint, held = 0n) =>
  inTransaction(db, (tx) => {
    const id = newId()
    const entries = [
      { account: { merchantId, asset, kind: 'merchant' as const }, posted, held },
      ...(posted === 0n
        ? []
        : [{ account: { merchantId, asset, kind: 'capital' as const }, posted: -posted, held: 0n }]),
    ]
    const cause = { kind: 'adjustment' as const, id }
    const transfer = { id, merchantId, kind: held === 0n ? ('post' as const) : ('hold' as const), cause, entries }
    return applyAll(tx, [{ transfer: { ...transfer, at: new Date(NOW) } }])
  })

beforeAll(async () => {
  for (const id of [LISTED, OTHER]) privateKey = (await makeMerchant(db, NOW, { id })).privateKey
  const tables = LISTED_ROWS.map(([table]) => table).filter((table) => !table.startsWith('ledger_'))
  await withoutTriggers(db, (tx) => fillListed(tx, 2, ROWS, tables))
  for (let i = 1; i <= 30; i += 1) await book(LISTED, i % 3 === 0 ? 'BTC' : 'USDT', BigInt(i) * 10n ** 9n)
  await book(LISTED, 'USDT', 0n, 10n ** 9n)
  await book(OTHER, 'USDT', 77n)
  await inTransaction(db, async (tx) => {
    await setSetting(tx, LISTED, { name: 'name', value: '=1+1' }, { actor: 'test' }, momentAt(NOW))
    for (let i = 0; i < 3; i += 1)
      await emit(
        tx,
        [{ merchantId: LISTED, objectId: newId(), kind: 'Replenish', status: 'Done', body: { i, id: 'x' } }],
        momentAt(NOW),
      )
  })
})
// What was inserted raw is in no books.
afterAll(() => emptyTables(db))

const export_ = async (name: string, part?: PartSize, merchantId: string = LISTED): Promise<string> => {
  const path = join(folder, `${name}.zip`)
  await writeFile(path, archiveOf(deps(), merchantId, part))
  return path
}

test('an archive has every row of the merchant, no row of another, and adds up', async () => {
  const path = await export_('whole')
  const { problems, balances, ...verified } = await verifyArchive(path)
  expect(problems).toEqual([])
  expect(verified.merchantId).toBe(LISTED)
  expect(balances).toEqual([
    { ticker: 'BTC', balance: '1650', entries: 10 },
    { ticker: 'USDT', balance: '0.0000003', entries: 21 },
  ])
  const texts = await textsOf(path)
  for (const table of ['deposits', 'crypto_invoices', 'fiat_invoices', 'card_payouts', 'refund_claims']) {
    const { rows } = await sql<{ id: string }>`select id from ${sql.id(table)} where merchant_id = ${LISTED}`.execute(
      db,
    )
    const name = `${table.replaceAll('_', '-')}.jsonl`
    expect(new Set(rowsIn(texts.get(name)!).map(({ id }) => id)), name).toEqual(new Set(rows.map(({ id }) => id)))
  }
  const all = [...texts.values()].join('\n')
  expect(all).not.toContain(OTHER)
  expect(all).not.toContain(privateKey)
  expect(all).not.toContain('sealed')
})

test('the CSV has the rows of the JSON, with times to read and no formula', async () => {
  const texts = await textsOf(await export_('csv'))
  for (const [name, text] of texts) {
    if (!name.endsWith('.csv')) continue
    const cells = parse(text, { relax_column_count: true }) as string[][]
    expect(cells.length - 1, name).toBe(rowsIn(texts.get(name.replace('.csv', '.jsonl'))!).length)
    for (const cell of cells.flat()) expect(cell).not.toMatch(/^[=+@\t\r＝＋＠]|^-(?!\d)/)
  }
  expect(texts.get('settings.csv')).toContain(`name,'=1+1`)
  expect(texts.get('deposits.csv')).toMatch(/\r\n[0-9a-f-]{36},2026-0\d-\d\dT/)
  expect(rowsIn(texts.get('notifications.jsonl')!)).toMatchObject([
    { sequence: 1, state: 'waiting' },
    { sequence: 2 },
    { sequence: 3, body: expect.stringContaining('"i":2') },
  ])
})

test('the statement of each asset has the sums of its entries by cause and kind', async () => {
  const texts = await textsOf(await export_('statement'))
  const lines = rowsIn(texts.get('statement.jsonl')!).filter(({ ticker }) => ticker === 'USDT')
  expect(lines).toEqual([
    { ticker: 'USDT', line: 'opening', kind: null, amount: '0', entries: null },
    { ticker: 'USDT', line: 'adjustment', kind: 'post', amount: '0.0000003', entries: 20 },
    { ticker: 'USDT', line: 'closing', kind: null, amount: '0.0000003', entries: null },
  ])
  const stated = rowsIn(texts.get('balances.jsonl')!).find(({ ticker }) => ticker === 'USDT')
  expect(stated).toMatchObject({ balance: '0.0000003', held: '0.000000001' })
})

test('amounts come back from their units', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), (units) => {
      expect(unitsOf(textOf(units))).toBe(units)
    }),
    { numRuns: cases(100) },
  )
  expect([textOf(0n), textOf(-(10n ** 40n)), textOf(unitsOf('-0.0010'))]).toEqual(['0', '-1', '-0.001'])
})

test('a long table continues in further files, each with its columns', async () => {
  const path = await export_('parts', { rows: 1_000, bytes: 1e9 })
  expect((await verifyArchive(path)).problems).toEqual([])
  const texts = await textsOf(path)
  const names = [...texts.keys()].filter((name) => /^deposits.*csv$/.test(name))
  expect(names).toEqual(['deposits.csv', 'deposits-2.csv'])
  const [first, second] = names.map((name) => texts.get(name)!.split('\r\n')[0])
  expect(second).toBe(first)
})

test('changes while an archive is read are not in its balances, and its reader holds no transaction', async () => {
  const pieces = archiveOf(deps(), LISTED)
  const read = [(await pieces.next()).value as Buffer]
  await book(LISTED, 'BTC', 5n)
  await book(LISTED, 'ETH', 5n)
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`.execute(db)
  expect(rows[0]!.count).toBe(0)
  for await (const piece of pieces) read.push(piece)
  const path = join(folder, 'meanwhile.zip')
  await writeFile(path, read)
  const { problems, balances } = await verifyArchive(path)
  expect(problems).toEqual([])
  expect(balances.map(({ ticker }) => ticker)).toEqual(['BTC', 'USDT'])
  expect(balances[0]!.balance).toBe('1650')
})

test('a slow receiver delays the reading: pages are read as they are taken', async () => {
  let pages = 0
  const lists = deps().lists.map((route) => ({
    ...route,
    handle: (request: Parameters<typeof route.handle>[0]) => {
      pages += 1
      return route.handle(request)
    },
  }))
  const pieces = archiveOf({ ...deps(), lists }, LISTED)
  while (pages === 0) await pieces.next()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(pages).toBeLessThan(5)
  await pieces.return(undefined)
  const atEnd = pages
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(pages).toBe(atEnd)
})

test('a merchant without any rows has an archive; an unknown one has none', async () => {
  const { id } = await makeMerchant(db, NOW, {})
  const { problems, balances } = await verifyArchive(await export_('empty', undefined, id))
  expect([problems, balances]).toEqual([[], []])
  await expect(archiveOf(deps(), newId()).next()).rejects.toThrow('no merchant has the id')
})

describe('the check finds', () => {
  /** The archive with one file changed; the manifest states the sums of the change if `isStated`. */
  const changed = async (name: string, change: (text: string) => string | undefined): Promise<readonly string[]> => {
    const texts = await textsOf(await export_('original'))
    const to = change(texts.get(name)!)
    async function* files() {
      for (const [one, text] of texts) {
        const content = one === name ? to : text
        if (content !== undefined) yield { name: one, content: [content] }
      }
    }
    const path = join(folder, 'changed.zip')
    await writeFile(path, zipOf(files(), new Date(NOW)))
    return (await verifyArchive(path)).problems
  }

  test('a file that is missing, or differs', async () => {
    expect(await changed('deposits.csv', () => undefined)).toEqual(['deposits.csv is missing, or there twice'])
    expect(await changed('deposits.csv', (text) => text.replace('Done', 'Doné'))).toEqual([
      expect.stringContaining('bytes, not'),
      'deposits.csv differs from its SHA-256',
    ])
  })

  test('an entry that is missing, and amounts that do not add up', async () => {
    const missing = await changed('entries.jsonl', (text) => {
      const lines = text.split('\n')
      lines.splice(3, 1)
      return lines.join('\n')
    })
    expect(missing).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^BTC has \d+ entries, not \d+$/),
        'the entries of BTC do not add up to its balance',
        'the entries of BTC have a gap',
      ]),
    )
    expect(await changed('balances.jsonl', (text) => text.replace('"balance":"1650', '"balance":"1651'))).toEqual(
      expect.arrayContaining([
        'the newest entry of BTC does not lead to its balance',
        'the entries of BTC do not add up to its balance',
        'the statement of BTC does not lead to its balance',
      ]),
    )
  })
})
