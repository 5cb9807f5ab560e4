/** Merchants of the simulation: created as an operator does, clients of the API by its SDK. */
import { Bursar } from '@bursar/sdk'
import { createMerchant, setSetting } from '../../server/src/merchants/accounts/index.ts'
import { createSecretBox, readDataKey } from '../../server/src/platform/config/secrets.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { DATA_KEY } from './installation/keys.ts'
import type { Random } from '../../sandbox/random.ts'
import type { Receivers } from './receivers.ts'

export interface SimulatedMerchant {
  /** as the trace calls it */
  name: string
  id: string
  privateKey: string
  /** deposits are credited only once screening has cleared them */
  holds: boolean
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
  const { id, privateKey } = await inTransaction(db, async (tx) => {
    const made = await createMerchant(
      tx,
      { name, companyName: `${name} Ltd`, companyUrl: 'https://shop.example' },
      { box, random: (length) => random.bytes(length), actor },
      moment,
    )
    await setSetting(tx, made.id, { name: 'notificationsUrl', value: receivers.urlOf(made.id) }, { actor }, moment)
    if (holds) await setSetting(tx, made.id, { name: 'holdUntilVerified', value: 'true' }, { actor }, moment)
    return made
  })
  receivers.add(id, privateKey)
  return { name, id, privateKey, holds }
}

export const clientOf = (url: string, { id, privateKey }: SimulatedMerchant, now: () => number): Bursar =>
  new Bursar({ url, merchantId: id, privateKey, now })
