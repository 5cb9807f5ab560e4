/** Creates two demo merchants once and stores them with their keys. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import { createDb, createPool, inTransaction } from '../../server/src/platform/db/index.ts'
import { createMerchant, setSetting } from '../../server/src/merchants/accounts/index.ts'
import { createSecretBox, readDataKey } from '../../server/src/platform/config/secrets.ts'
import type { SandboxKeys } from './keys.ts'

export interface DemoMerchant {
  readonly id: string
  readonly privateKey: string
  readonly webhookSecret: string
  readonly notificationsUrl: string
}

const NAMES = ['Demo shop', 'Demo market']
/** This merchant's deposits are credited only after screening, if screening is on. */
const HOLDING = 'Demo market'
const ACTOR = 'sandbox'

export async function demoMerchants(
  dir: string,
  keys: SandboxKeys,
  databaseUrl: string,
  inbox: string,
): Promise<DemoMerchant[]> {
  const file = join(dir, 'merchants.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoMerchant[]
  const box = createSecretBox(readDataKey(readFileSync(keys.dataKey, 'utf8')))
  const pool = createPool({ url: databaseUrl, max: 1 })
  try {
    const made = await inTransaction(createDb(pool), async (tx) => {
      const merchants: DemoMerchant[] = []
      for (const name of NAMES) {
        const moment = { at: new Date(), newId: () => uuidv7(Date.now(), randomBytes(10)) }
        const merchant = { name, companyName: name, companyUrl: 'https://shop.example' }
        const created = await createMerchant(tx, merchant, { box, random: randomBytes, actor: ACTOR }, moment)
        const notificationsUrl = `${inbox}/merchant/${created.id}`
        await setSetting(
          tx,
          created.id,
          { name: 'notificationsUrl', value: notificationsUrl },
          { actor: ACTOR },
          moment,
        )
        if (name === HOLDING)
          await setSetting(tx, created.id, { name: 'holdUntilVerified', value: 'true' }, { actor: ACTOR }, moment)
        merchants.push({ ...created, notificationsUrl })
      }
      return merchants
    })
    writeFileSync(`${file}.new`, JSON.stringify(made, null, 2), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    return made
  } finally {
    await pool.end()
  }
}
