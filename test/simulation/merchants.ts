/** Merchants of the simulation: created as an operator does, clients of the API by its SDK. */
import { SCOPES, type Scope } from '@bursar/contract'
import { Bursar } from '@bursar/sdk'
import { addAdditionalKey, createMerchant, setSetting } from '../../server/src/merchants/accounts/index.ts'
import { createSecretBox, readDataKey } from '../../server/src/platform/config/secrets.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { DATA_KEY } from './installation/keys.ts'
import type { Random } from '../../sandbox/random.ts'
import type { Receivers } from './receivers.ts'

/** An additional key, which signs the requests of one scope. */
export interface ScopedKey {
  scope: Scope
  id: string
  secret: string
}

export interface SimulatedMerchant {
  /** as the trace calls it */
  name: string
  id: string
  privateKey: string
  /** deposits are credited only once screening has cleared them */
  holds: boolean
  /** one of each scope */
  keys: readonly ScopedKey[]
}

export const makeMerchant = async (
  db: Db,
  name: string,
  receivers: Receivers,
  random: Random,
  moment: Moment,
  holds: boolean,
): Promise<SimulatedMerchant> => {
  const box = createSecretBox(readDataKey(DATA_KEY))
  const actor = 'simulation'
  const secrets = { box, random: (length: number) => random.bytes(length) }
  const { id, privateKey, keys } = await inTransaction(db, async (tx) => {
    const made = await createMerchant(
      tx,
      { name, companyName: `${name} Ltd`, companyUrl: 'https://shop.example' },
      { ...secrets, actor },
      moment,
    )
    await setSetting(tx, made.id, { name: 'notificationsUrl', value: receivers.urlOf(made.id) }, { actor }, moment)
    if (holds) await setSetting(tx, made.id, { name: 'holdUntilVerified', value: 'true' }, { actor }, moment)
    const added: ScopedKey[] = []
    for (const scope of SCOPES) {
      const key = { merchantId: made.id, name: scope, scopes: [scope], addresses: [], expiresAt: null, formId: null }
      const stored = await addAdditionalKey(tx, { ...key, createdBy: `cli:${actor}` }, secrets, {
        real: moment.at,
        newId: moment.newId,
      })
      if ('problem' in stored) throw new Error(`no key for ${scope}: ${stored.problem}`)
      added.push({ scope, id: stored.id, secret: stored.secret })
    }
    return { ...made, keys: added }
  })
  receivers.add(id, privateKey)
  return { name, id, privateKey, holds, keys }
}

/** @param key signs the requests; the main key when absent */
export const clientOf = (
  url: string,
  { id, privateKey }: SimulatedMerchant,
  now: () => number,
  key?: ScopedKey,
): Bursar =>
  new Bursar({
    url,
    merchantId: id,
    now,
    ...(key === undefined ? { privateKey } : { privateKey: key.secret, keyId: key.id }),
  })
