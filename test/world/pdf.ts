import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A document as a reader of PDF sees it. */
export interface ReadDocument {
  /** the text of each sheet */
  sheets: string[]
  info: Record<string, unknown>
  /** embedded ones */
  fonts: number
}

/** Reads a PDF with pdf.js. One space stands for the spaces and line ends between two pieces of text. */
export const readPdf = async (bytes: Uint8Array): Promise<ReadDocument> => {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: VerbosityLevel.ERRORS, useSystemFonts: false })
  const pdf = await task.promise
  const sheets: string[] = []
  for (let n = 1; n <= pdf.numPages; n += 1) {
    const { items } = await (await pdf.getPage(n)).getTextContent()
    sheets.push(
      items
        .map((item) => ('str' in item ? item.str : ''))
        .join(' ')
        .replaceAll(/[\s\u00a0]+/g, ' '),
    )
  }
  const { info } = await pdf.getMetadata()
  const fonts =
    Buffer.from(bytes)
      .toString('latin1')
      .match(/\/FontFile2/g)?.length ?? 0
  await task.destroy()
  return { sheets, info: info as Record<string, unknown>, fonts }
}
