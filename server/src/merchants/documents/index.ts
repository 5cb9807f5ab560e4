/**
 * Documents that people keep. Promises the same bytes for the same values, on every machine and at any time; that the
 * text can be searched and copied; and that making one holds up nothing else: a thread does it, one after the other.
 */
export { createDocumentMaker, DocumentsBusy } from './maker.ts'
export type { DocumentMaker } from './maker.ts'
export type { CryptoReceipt, FiatReceipt, Receipt } from './receipt.ts'

export { showAmount, showNetwork, showText, showTime } from './showing.ts'
