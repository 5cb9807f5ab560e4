import type { Language } from '../../platform/base/language.ts'
import { receiptPdf } from './receipt-pdf.ts'
import type { Receipt } from './receipt.ts'
import { screeningPdf } from './screening-pdf.ts'
import type { ScreeningReport } from './screening.ts'

/** A request for a document. Plain values only, because it is sent to another thread. */
export type DocumentRequest =
  | { kind: 'receipt'; receipt: Receipt; language: Language }
  | { kind: 'screening'; report: ScreeningReport; language: Language }

/** Makes a document in this thread. */
export const makeDocument = (request: DocumentRequest): Promise<Buffer> =>
  request.kind === 'receipt'
    ? receiptPdf(request.receipt, request.language)
    : screeningPdf(request.report, request.language)
