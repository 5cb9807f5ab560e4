/**
 * Unsigned web forms that ask for a payment (`contract.md` 5.15, 5.19, 18 row 15, 19 #10). Promises that nothing in a
 * form is trusted: fields are judged by the contract's schema, the merchant must exist, the payer is only ever sent on
 * to a host its merchant listed, money only to an address its merchant listed, that forms and payers are so many a
 * minute, and that a merchant can turn them off or have them signed.
 */
export { findFormMerchant } from './merchant.ts'
export { FORMS_OF_A_PAYER } from './merchant.ts'
export type { FormMerchantDeps } from './merchant.ts'
export { createFormReader } from './reading.ts'
export type { FormFields } from './reading.ts'
export { readFormRedirect, readRedirect } from './redirect.ts'
export { sendOn } from './sending-on.ts'
export { tokenText } from './token.ts'
export { readFormTarget } from './target.ts'
