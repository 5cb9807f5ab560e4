/** Blocks of TRON shown with other transactions than their headers name. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createUnprovenAlarm } from './index.ts'

const { db } = useDb()
const NOW = 1_000_000

const show = (height: number, isUnproven: boolean): Promise<unknown> =>
  inTransaction(db, (tx) => {
    const block = {
      height,
      hash: `h${height}`,
      parent: `h${height - 1}`,
      time: NOW,
      transactions: [],
      ...(isUnproven && { isUnproven: true as const }),
    }
    return createUnprovenAlarm().block(tx, 'TRON', block, {
      at: new Date(NOW),
      newId: () => uuidv7(NOW, randomBytes(10)),
    })
  })
const open = async () => {
  const { rows } = await sql<{
    text: string
  }>`select text from alerts where kind = 'unproven-block' and resolved_at is null`.execute(db)
  return rows.map(({ text }) => /`([^`]+)`/.exec(text)?.[1])
}

test('they are one alert, with the command that reads all of them again', async () => {
  await show(7, false)
  expect(await open()).toEqual([])
  for (const height of [12, 10, 14]) await show(height, true)
  await show(20, false)
  expect(await open()).toEqual(['bursar rescan TRON 10 14'])
  await sql`update alerts set resolved_at = raised_at`.execute(db)
  await show(30, true)
  expect(await open()).toEqual(['bursar rescan TRON 30 30'])
})
