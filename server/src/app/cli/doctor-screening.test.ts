import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listSanctions } from '../../../../test/world/screening.ts'
import { useDb } from '../../../../test/world/database.ts'
import { momentAt, newId } from '../../../../test/world/merchant.ts'
import { reportScreening } from './doctor-screening.ts'
import type { Opened } from '../installation/open.ts'

// A deposit is held that no block brought.
const { db } = useDb({ breaks: ['deposit-credited-once', 'deposit-block', 'deposit-notified'] })

const reported = async (kinds: string[] | null): Promise<[boolean, string][]> => {
  const lines: [boolean, string][] = []
  const config = { screening: kinds && { providers: kinds.map((kind) => ({ kind })) } } as unknown as Opened['config']
  await reportScreening({ config, runtime: { db, newId } as unknown as Opened['runtime'] }, (good, text) =>
    lines.push([good, text]),
  )
  return lines
}

test('the doctor reports the screening providers, and deposits that no provider would ever judge', async () => {
  expect(await reported(null)).toEqual([[true, 'screening: BURSAR_SCREENING_FILE is not set, nothing is screened']])
  expect(await reported(['local-lists'])).toEqual([
    [true, 'screening: by local-lists; 0 deposits are held'],
    [false, expect.stringContaining('no list has been imported')],
  ])
  await listSanctions(db, 'ETH', ['0x1'], momentAt(Date.UTC(2026, 10, 21)))
  // Raw: a deposit that was held while another screening was set.
  await sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, keys, hold_until_verified, created_at, updated_at)
    values (${randomUUID()}, ${randomUUID()}, 'ETHEREUM', 'ETH', 'aa', '0', '0x2', ${randomUUID()}, '{}', 5, 0, 'held', 'Pending', '{}', true, now(), now())`.execute(
    db,
  )
  expect(await reported(['local-lists', 'amlbot'])).toEqual([
    [true, 'screening: by local-lists, amlbot; 1 deposits are held'],
    [true, 'screening: OFAC SDN of 2026-01-01'],
  ])
  expect(await reported(null)).toEqual([[false, expect.stringContaining('1 deposits wait for it')]])
})
