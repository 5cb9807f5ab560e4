import { createHash } from 'node:crypto'
import { lockSettings, setSetting, type MerchantSettings } from '../../merchants/accounts/index.ts'
import { actorOf, authoriseSession, type Now, recordOf, type Session } from '../../people/access/index.ts'
import type { Tx } from '../../platform/db/index.ts'

/** The settings that members change, in the order of the form. */
export const EDITED = [
  'accent',
  'supportUrl',
  'supportEmail',
  'redirectHosts',
  'assetOrder',
  'email',
  'mailLanguage',
  'activityMails',
  'monthlyMails',
] as const satisfies readonly (keyof MerchantSettings)[]
export type Edited = (typeof EDITED)[number]

/** Settings as text: a list has commas, an absent value is empty. */
export type EditedSettings = Readonly<Record<Edited, string>>

export const textsOf = (settings: MerchantSettings): EditedSettings => {
  const textOf = (value: MerchantSettings[Edited]): string =>
    Array.isArray(value) ? value.join(', ') : String(value ?? '')
  return Object.fromEntries(EDITED.map((name) => [name, textOf(settings[name])])) as EditedSettings
}

/** Identifies the values that a form has shown. */
export const shownOf = (texts: EditedSettings): string =>
  createHash('sha256')
    .update(JSON.stringify(EDITED.map((name) => texts[name])))
    .digest('base64url')

/** Some values are not valid. Nothing was changed. */
export class WrongSettings extends Error {
  override name = 'WrongSettings'
  readonly settings: readonly Edited[]
  constructor(settings: readonly Edited[]) {
    super(`not valid: ${settings.join(', ')}`)
    this.settings = settings
  }
}

/**
 * Changes settings of a merchant. Throws NotAllowed, ProofNeeded or WrongSettings.
 * @param given `shown`: identifies the values that the form has shown
 * @returns changed: the values are no longer those of the form, and nothing was changed
 */
export const changeSettings = async (
  tx: Tx,
  session: Session,
  { merchantId, texts, shown }: { merchantId: string; texts: EditedSettings; shown: string },
  now: Now,
): Promise<'saved' | 'changed'> => {
  await authoriseSession(tx, session, { merchantId, action: 'manage-settings', needsProof: true })
  const before = textsOf(await lockSettings(tx, merchantId))
  const different = EDITED.filter((name) => texts[name].trim() !== before[name])
  if (different.length === 0) return 'saved'
  if (shownOf(before) !== shown) return 'changed'
  const actor = actorOf(session.person.id)
  const wrong: Edited[] = []
  let after = before
  for (const name of different) {
    try {
      after = textsOf(await setSetting(tx, merchantId, { name, value: texts[name] }, { actor }, now.moment))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      wrong.push(name)
    }
  }
  if (wrong.length > 0) throw new WrongSettings(wrong)
  const detail = Object.fromEntries(different.map((name) => [name, { before: before[name], after: after[name] }]))
  await recordOf(tx, session, { merchantId, action: 'changed settings', detail }, now)
  return 'saved'
}
