/**
 * PDF documents: receipts, screening reports and monthly statements. Guarantees:
 * - the same values give the same bytes, on every machine and at any time;
 * - the text can be searched and copied;
 * - making a document blocks nothing else: one thread makes them, one after another.
 */
export { refuseIfBusy, createDocumentMaker, DocumentsBusy, type DocumentMaker } from './maker.ts'
export { pictureOf } from './picture.ts'
export type { CryptoReceipt, FiatReceipt, Receipt } from './receipt.ts'
export type { MonthStatement, StatementSum } from './statement.ts'

export { showAmount, showNetwork, showText, showTime } from './showing.ts'
