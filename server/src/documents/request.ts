import type { Language } from '../base/language.ts'
import { receiptPdf } from './receipt-pdf.ts'
import type { Receipt } from './receipt.ts'

/** A document that is wanted. Plain values only: it goes to another thread. */
export type DocumentRequest = { kind: 'receipt'; receipt: Receipt; language: Language }

/** Makes a document in this thread. */
export const makeDocument = (request: DocumentRequest): Promise<Buffer> => receiptPdf(request.receipt, request.language)
