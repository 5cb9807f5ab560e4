/** The base of tests of merchants and of the HTTP server: ids, keys and a merchant of their own. */
import { randomBytes } from 'node:crypto'
import {
  createMerchant,
  setSetting,
  type KeyDeps,
  type NewMerchant,
} from '../../server/src/merchants/accounts/index.ts'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { createSecretBox, createSecretRing } from '../../server/src/platform/config/secrets.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'

export const newId = (): string => uuidv7(Date.now(), randomBytes(10))
export const box = createSecretBox(new Uint8Array(32).fill(7))
/** With the key of card numbers. */
export const cardBox = createSecretRing([new Uint8Array(32).fill(9)])
export const keyDeps: KeyDeps = { box, random: randomBytes, actor: 'test' }
export const momentAt = (ms: number): Moment => ({ at: new Date(ms), newId })

/**
 * A merchant with its keys.
 * @param at ms
 * @param id where a test has named its merchant before
 */
export const makeMerchant = (db: Db, at: number, { id, ...more }: Partial<NewMerchant> & { id?: string } = {}) => {
  // Its id is the first that is taken.
  const ids = id === undefined ? [] : [id]
  return inTransaction(db, (tx) =>
    createMerchant(
      tx,
      { name: 'Shop', companyName: 'Shop Ltd', companyUrl: 'https://shop.example', ...more },
      keyDeps,
      { at: new Date(at), newId: () => ids.pop() ?? newId() },
    ),
  )
}

/** An operator changes settings of a merchant. @param at ms */
export const changeSettings = (
  db: Db,
  merchantId: string,
  settings: Readonly<Record<string, string | number | boolean>>,
  at: number,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    for (const [name, value] of Object.entries(settings))
      await setSetting(tx, merchantId, { name, value: String(value) }, keyDeps, momentAt(at))
  })
