/**
 * Merchants, their settings and their keys. Guarantees:
 * - secrets are stored encrypted and shown once;
 * - at most two keys of a kind are valid at the same time;
 * - additional keys sign requests only, within their scopes, and never notifications;
 * - every change is in the audit log;
 * - a change reaches every process at once.
 */
export {
  addAdditionalKey,
  countAdditionalKeysSince,
  isKeyName,
  listAdditionalKeys,
  resealAdditionalKeys,
  revokeAdditionalKey,
} from './additional-keys.ts'
export type { AddedKey, AdditionalKeyLine } from './additional-keys.ts'
export { readRanges } from './allowed-addresses.ts'
export { listAudit } from './audit.ts'

export { createMerchant, setDisabled, setSetting } from './commands.ts'
export type { NewMerchant } from './commands.ts'
export { createDirectory } from './directory.ts'
export type { MerchantDirectory } from './directory.ts'
export { createKeyUses } from './key-uses.ts'
export type { KeyUse } from './key-uses.ts'
export { countSealedKeys, markKeyUsed, resealKeys, revokeKey, rotateKey } from './keys.ts'
export type { KeyDeps, KeyPurpose } from './keys.ts'
export { beginEnding, finishEnding, mayPlaceOrders, reopen, serviceOf } from './ending.ts'
export { createEndpoints } from './endpoint.ts'

export { validKeys } from './merchant.ts'
export type { AdditionalKey, Merchant, MerchantKey } from './merchant.ts'
export {
  companyOf,
  defaultTargetOf,
  holdsUntilVerified,
  listKeys,
  listMerchants,
  lockSettings,
  mailboxes,
  merchantExists,
  profileOf,
  withdrawalPercents,
  settingsOf,
} from './queries.ts'
export type { Mailbox } from './queries.ts'
export { DEFAULT_SETTINGS, readEndpointUrl, SETTING_NAMES } from './settings.ts'
export type { MerchantSettings } from './settings.ts'
