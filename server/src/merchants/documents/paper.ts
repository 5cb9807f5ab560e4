import PDFDocument from 'pdfkit'
import { fonts, type FontName } from './fonts.ts'

export interface PaperSettings {
  language: string
  title: string
  author: string
  /** the document's own time, ms: it goes into the file, so that the same values make the same bytes */
  at: number
}

const INK = '#131a24'
export const SOFT = '#56647a'
const LINE = '#d8dee6'
const MARGIN = 56
const FOOTER_HEIGHT = 48
/** In place of a character that the font has no glyph for. */
const MISSING = '\ufffd'

export interface Style {
  size: number
  font?: FontName
  color?: string
}

/**
 * Sheets of A4 that are filled from top to bottom; what does not fit goes on on the next. Knows nothing of what is
 * written: the kinds of documents are made of these strokes.
 */
export class Paper {
  readonly #doc: PDFKit.PDFDocument
  readonly #chunks: Buffer[] = []

  constructor({ language, title, author, at }: PaperSettings) {
    const date = new Date(at)
    this.#doc = new PDFDocument({
      size: 'A4',
      margins: { top: MARGIN, bottom: MARGIN + FOOTER_HEIGHT, left: MARGIN, right: MARGIN },
      bufferPages: true,
      lang: language,
      displayTitle: true,
      info: { Title: title, Author: author, Creator: 'Bursar', Producer: 'Bursar', CreationDate: date, ModDate: date },
    })
    this.#doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
    for (const [name, file] of Object.entries(fonts())) this.#doc.registerFont(name, file)
  }

  get width(): number {
    return this.#doc.page.width - 2 * MARGIN
  }

  /** Lines of text across the sheet, with a gap below. */
  write(text: string, style: Style, gap = 0): void {
    this.#place(text, style, MARGIN, this.#doc.y, this.width)
    this.#doc.y += gap
  }

  gap(height: number): void {
    this.#doc.y += height
  }

  /** A line across the sheet. */
  rule(): void {
    const { y } = this.#doc
    this.#doc
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + this.width, y)
      .lineWidth(0.75)
      .strokeColor(LINE)
      .stroke()
  }

  /** Texts beside each other, in columns of the given widths (points); a row stays on one sheet. */
  row(cells: readonly { text: string; width: number; style: Style; align?: 'left' | 'right' }[], padding = 6): void {
    const inner = cells.map(({ width }, i) => (i === cells.length - 1 ? width : width - padding))
    const heights = cells.map(({ text, style }, i) =>
      this.#set(style).heightOfString(this.#showable(text, style), { width: inner[i]!, features: [] }),
    )
    const height = Math.max(...heights)
    if (this.#doc.y + height + 2 * padding > this.#bottom) this.#doc.addPage()
    const top = this.#doc.y + padding
    let x = MARGIN
    for (const [i, { text, width, style, align = 'left' }] of cells.entries()) {
      this.#place(text, style, x, top, inner[i]!, align)
      x += width
    }
    this.#doc.y = top + height + padding
    this.rule()
  }

  /** Ends the document with a line at the foot of every sheet. @param foot gets the number of its sheet and of all */
  end(foot: (sheet: number, of: number) => { left: string; right: string }): Promise<Buffer> {
    const { start, count } = this.#doc.bufferedPageRange()
    for (let sheet = 0; sheet < count; sheet += 1) {
      this.#doc.switchToPage(start + sheet)
      // Below the margin that starts another sheet.
      this.#doc.page.margins.bottom = 0
      const { left, right } = foot(sheet + 1, count)
      const y = this.#doc.page.height - MARGIN - FOOTER_HEIGHT / 2
      const style = { size: 8, color: SOFT }
      this.#place(left, style, MARGIN, y, this.width * 0.8)
      this.#place(right, style, MARGIN + this.width * 0.8, y, this.width * 0.2, 'right')
    }
    return new Promise((resolve, reject) => {
      this.#doc.on('end', () => resolve(Buffer.concat(this.#chunks)))
      this.#doc.on('error', reject)
      this.#doc.end()
    })
  }

  get #bottom(): number {
    return this.#doc.page.height - this.#doc.page.margins.bottom
  }

  #set({ size, font = 'regular', color = INK }: Style): PDFKit.PDFDocument {
    return this.#doc.font(font).fontSize(size).fillColor(color)
  }

  #place(text: string, style: Style, x: number, y: number, width: number, align: 'left' | 'right' = 'left'): void {
    // Without ligatures and the like: what is copied out of the document is what was written into it.
    this.#set(style).text(this.#showable(text, style), x, y, { width, align, features: [] })
  }

  #showable(text: string, style: Style): string {
    this.#set(style)
    const { font } = (this.#doc as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } })
      ._font
    return [...text]
      .map((character) =>
        character === '\u00a0' || font.hasGlyphForCodePoint(character.codePointAt(0)!) ? character : MISSING,
      )
      .join('')
  }
}
