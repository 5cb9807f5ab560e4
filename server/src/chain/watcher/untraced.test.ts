import { randomBytes } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createUntracedAlarm } from './index.ts'

const { db } = useDb()
const NOW = 1_000_000

beforeEach(() => sql`truncate alerts cascade`.execute(db))

const alarm = createUntracedAlarm()
const show = (network: Network, height: number, untraced = true): Promise<unknown> =>
  inTransaction(db, (tx) => {
    const block = {
      height,
      hash: `h${height}`,
      parent: `h${height - 1}`,
      time: NOW,
      transactions: [],
      ...(untraced && { untraced }),
    }
    return alarm.block(tx, network, block, { at: new Date(NOW), newId: () => uuidv7(NOW, randomBytes(10)) })
  })
const open = async () => {
  const { rows } = await sql<{
    text: string
  }>`select text from alerts where kind = 'untraced-block' and resolved_at is null order by raised_at, subject`.execute(
    db,
  )
  return rows.map(({ text }) => /`([^`]+)`/.exec(text)?.[1])
}

test('audit D-E3: ten minutes away from a full node of BSC are one alert, with the command for all of them', async () => {
  for (let height = 2_000; height < 2_100; height += 1) await show('BINANCE_SMART_CHAIN', height, height % 3 !== 1)
  expect(await open()).toEqual(['bursar rescan BINANCE_SMART_CHAIN 2000 2099'])
})

test('audit D-E3: a range grows both ways, and a block of it that is read again changes nothing', async () => {
  for (const height of [500, 510, 490, 505]) await show('ETHEREUM', height)
  expect(await open()).toEqual(['bursar rescan ETHEREUM 490 510'])
})

test('audit D-E3: another network, a far block, and one after the alert was dealt with have alerts of their own', async () => {
  await show('ETHEREUM', 500)
  await show('BINANCE_SMART_CHAIN', 501)
  await show('ETHEREUM', 1_000_000)
  expect(await open()).toEqual(
    expect.arrayContaining([
      'bursar rescan ETHEREUM 500 500',
      'bursar rescan BINANCE_SMART_CHAIN 501 501',
      'bursar rescan ETHEREUM 1000000 1000000',
    ]),
  )
  await sql`update alerts set resolved_at = ${new Date(NOW)}`.execute(db)
  await show('ETHEREUM', 502)
  expect(await open()).toEqual(['bursar rescan ETHEREUM 502 502'])
})
