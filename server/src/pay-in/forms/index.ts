/**
 * Unsigned web forms that request a payment (`contract.md` 5.15, 5.19, 18 row 15, 19 #10). No part of a form is
 * trusted. Guarantees:
 * - fields are checked by the contract's schema, and the merchant must exist;
 * - the payer is only redirected to a host that the merchant has listed, and money only goes to an address that the
 *   merchant has listed;
 * - the number of forms of a merchant, and of a payer, is limited per minute;
 * - a merchant can disable forms, or require that they are signed.
 */
export { findFormMerchant } from './merchant.ts'
export { FORMS_OF_A_PAYER } from './merchant.ts'
export type { FormMerchantDeps } from './merchant.ts'
export { createFormReader } from './reading.ts'
export type { FormFields } from './reading.ts'
export { isRedirect, readFormRedirect, readRedirect } from './redirect.ts'
export { sendOn } from './sending-on.ts'
export type { LinkInvoice } from './sending-on.ts'
export { tokenText } from './token.ts'
export { readFormTarget } from './target.ts'
