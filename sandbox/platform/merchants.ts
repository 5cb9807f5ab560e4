/** Creates two demo merchants once and stores them with their keys. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import { createDb, createPool, inTransaction } from '../../server/src/platform/db/index.ts'
import { createMerchant, setSetting } from '../../server/src/merchants/accounts/index.ts'
import { createSecretBox, readDataKey } from '../../server/src/platform/config/secrets.ts'
import { readClockOffset } from '../../server/src/platform/runtime/business-clock.ts'
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
  const made = await createDemoMerchants({ databaseUrl, dataKeyFile: keys.dataKey, inbox, holding: HOLDING })
  writeFileSync(`${file}.new`, JSON.stringify(made, null, 2), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return made
}

interface Place {
  databaseUrl: string
  dataKeyFile: string
  inbox: string
  /** the name of the merchant whose deposits wait for screening */
  holding?: string
}

/** Creates two merchants whose notifications go to the inbox. */
export async function createDemoMerchants(place: Place): Promise<DemoMerchant[]> {
  const { databaseUrl, dataKeyFile, inbox, holding } = place
  const box = createSecretBox(readDataKey(readFileSync(dataKeyFile, 'utf8')))
  const pool = createPool({ url: databaseUrl, max: 1 })
  try {
    return await inTransaction(createDb(pool), async (tx) => {
      const merchants: DemoMerchant[] = []
      const now = Date.now() + (await readClockOffset(tx))
      const moment = { at: new Date(now), newId: () => uuidv7(now, randomBytes(10)) }
      for (const name of NAMES) {
        const merchant = { name, companyName: name, companyUrl: 'https://shop.example' }
        const created = await createMerchant(tx, merchant, { box, random: randomBytes, actor: ACTOR }, moment)
        const set = (setting: string, value: string) =>
          setSetting(tx, created.id, { name: setting, value }, { actor: ACTOR }, moment)
        const notificationsUrl = `${inbox}/merchant/${created.id}`
        await set('notificationsUrl', notificationsUrl)
        if (name === holding) await set('holdUntilVerified', 'true')
        merchants.push({ ...created, notificationsUrl })
      }
      return merchants
    })
  } finally {
    await pool.end()
  }
}
