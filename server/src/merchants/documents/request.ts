import type { Language } from '../../platform/base/language.ts'
import { receiptPdf } from './receipt-pdf.ts'
import type { Picture } from './picture.ts'
import type { Receipt } from './receipt.ts'
import { screeningPdf } from './screening-pdf.ts'
import type { ScreeningReport } from './screening.ts'
import { statementPdf } from './statement-pdf.ts'
import type { MonthStatement } from './statement.ts'

/** A request for a document. Plain values only, because it is sent to another thread. */
export type DocumentRequest =
  | { kind: 'receipt'; receipt: Receipt; language: Language; logo?: Picture | undefined }
  | { kind: 'screening'; report: ScreeningReport; language: Language }
  | { kind: 'statement'; statement: MonthStatement; language: Language; logo?: Picture | undefined }

/** Makes a document in this thread. */
export const makeDocument = (request: DocumentRequest): Promise<Buffer> => {
  switch (request.kind) {
    case 'receipt':
      return receiptPdf(request.receipt, request.language, request.logo)
    case 'screening':
      return screeningPdf(request.report, request.language)
    case 'statement':
      return statementPdf(request.statement, request.language, request.logo)
  }
}
