import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPayoutAcquirer } from '../../../../test/world/acquirer-payouts.ts'
import { openCardPayouts, type CardPayoutWorld } from '../../../../test/world/card-payouts.ts'
import { useDb } from '../../../../test/world/database.ts'
import { reportCardKeys } from './doctor-cards.ts'

const database = useDb()
const [used, newer] = [randomBytes(32), randomBytes(32)]
const bank = createPayoutAcquirer('bank', { UAH: { least: 1_00n, most: 14_500_00n } })
const payInOnly = { ...createPayoutAcquirer('shop', {}) }
let here: CardPayoutWorld
beforeAll(async () => {
  here = await openCardPayouts(database, [bank], [used])
  const shop = await here.merchant('UAH', 5_000n)
  for (let i = 0; i < 2; i += 1) await here.payOut(shop, { amount: '1000' })
})
afterAll(() => here.close())

const reported = async (keys: readonly Uint8Array[] | null, acquirers = [bank]): Promise<string[]> => {
  const lines: string[] = []
  await reportCardKeys(here.db, { keys, acquirers }, (good, text) => void lines.push(`${good ? 'ok' : 'BAD'} ${text}`))
  return lines
}

test.each([
  [
    'the key in use',
    () => reported([used]),
    'ok card keys: 1; sealed with the newest: 2, with older ones: 0, with keys that are missing: 0',
  ],
  [
    'a new key before it',
    () => reported([newer, used]),
    'BAD card keys: 2; sealed with the newest: 0, with older ones: 2, with keys that are missing: 0',
  ],
  [
    'a new key alone',
    () => reported([newer]),
    'BAD card keys: 1; sealed with the newest: 0, with older ones: 0, with keys that are missing: 2',
  ],
  ['none', () => reported(null), 'BAD card keys: BURSAR_CARD_KEY_FILE is not set, and bank pays out'],
  ['none where none is needed', () => reported(null, [payInOnly]), 'ok card keys: BURSAR_CARD_KEY_FILE is not set'],
])('%s', async (_what, ask, line) => expect(await ask()).toEqual([line]))
