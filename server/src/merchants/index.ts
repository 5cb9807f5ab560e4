/**
 * Merchants, their settings and their keys. Promises that secrets are stored sealed and shown once, that two keys may be
 * valid at once, that every change is in the audit log, and that a change reaches every process at once.
 */
export {
  createMerchant, markKeyUsed, revokeKey, rotateKey, setDisabled, setSetting, type KeyPurpose, type NewMerchant, type RandomBytes,
} from './commands.ts'
export { createDirectory, endpointOf, validKeys } from './directory.ts'
export type { Endpoint, Merchant, MerchantDirectory, MerchantKey } from './directory.ts'
export { listMerchants } from './queries.ts'
export type { MerchantLine } from './queries.ts'
export { DEFAULT_SETTINGS, SETTING_NAMES } from './settings.ts'
export type { MerchantSettings } from './settings.ts'
