/** What tests of merchants and of the edge start from: ids, keys and a merchant of their own. */
import { randomBytes } from 'node:crypto'
import { uuidv7 } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { createSecretBox } from '../../platform/config/secrets.ts'
import { createMerchant, type KeyDeps, type NewMerchant } from './index.ts'

export const newId = (): string => uuidv7(Date.now(), randomBytes(10))
export const box = createSecretBox(new Uint8Array(32).fill(7))
export const keyDeps: KeyDeps = { box, random: randomBytes, actor: 'test' }
export const momentAt = (ms: number): Moment => ({ at: new Date(ms), newId })

export const makeMerchant = (db: Db, at: number, more: Partial<NewMerchant> = {}) =>
  inTransaction(db, (tx) =>
    createMerchant(
      tx,
      { name: 'Shop', companyName: 'Shop Ltd', companyUrl: 'https://shop.example', ...more },
      keyDeps,
      momentAt(at),
    ),
  )
