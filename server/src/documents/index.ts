/**
 * Documents that people keep. Promises the same bytes for the same values, whoever makes them and whenever; that every
 * character of a text is one to be found and copied; and that making one holds up no request: it is done in a thread.
 */
export type { CryptoPayment, CryptoReceipt, FiatReceipt, Receipt, ReceiptHead } from './receipt.ts'
export { showAmount, showNetwork, showText, showTime } from './showing.ts'
