import PDFDocument from 'pdfkit'
import { fonts, type FontName } from './fonts.ts'
import type { Picture } from './picture.ts'

export interface PaperSettings {
  language: string
  title: string
  author: string
  /** time of the document, ms: it is stored in the file, so that the same values give the same bytes */
  at: number
}

const INK = '#131a24'
export const SOFT = '#56647a'
const LINE = '#d8dee6'
const MARGIN = 56
const FOOTER_HEIGHT = 48
/** The largest size of a picture, in points. */
const PICTURE_BOX = { width: 180, height: 45 }
/** Replaces a character that the font has no glyph for. */
const MISSING = '\ufffd'

export interface Style {
  size: number
  font?: FontName
  color?: string
}

export interface Cell {
  text: string
  /** points */
  width: number
  style: Style
  align?: 'left' | 'right'
  /** the cell names its row or its column */
  names?: 'Row' | 'Column'
}

/**
 * Not in the types of pdfkit: `scope` makes the attribute Scope of a header cell (ISO 32000-1, 14.8.5.7). `bbox`, in
 * points from the top left, and `placement` make the attributes BBox and Placement of a figure (14.8.5.4).
 */
type ElementOptions = PDFKit.Mixins.StructureElementOptions & {
  scope?: 'Row' | 'Column'
  bbox?: readonly [number, number, number, number]
  placement?: 'Block'
}

/**
 * Writes text and lines on A4 pages from top to bottom and adds pages as needed. It does not depend on the kind of
 * document. The document is tagged, so that screen readers know its headings and tables (ISO 32000-1, 14.8): each text
 * is an element of the structure; lines and footers are artifacts.
 */
export class Paper {
  readonly #doc: PDFKit.PDFDocument
  readonly #content: PDFKit.PDFStructureElement
  /** the table of the last row, while only rows follow */
  #table: PDFKit.PDFStructureElement | undefined
  readonly #chunks: Buffer[] = []

  constructor({ language, title, author, at }: PaperSettings) {
    const date = new Date(at)
    this.#doc = new PDFDocument({
      size: 'A4',
      margins: { top: MARGIN, bottom: MARGIN + FOOTER_HEIGHT, left: MARGIN, right: MARGIN },
      bufferPages: true,
      pdfVersion: '1.7',
      tagged: true,
      lang: language,
      displayTitle: true,
      info: { Title: title, Author: author, Creator: 'Bursar', Producer: 'Bursar', CreationDate: date, ModDate: date },
    })
    this.#doc.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
    for (const [name, file] of Object.entries(fonts())) this.#doc.registerFont(name, file)
    this.#content = this.#doc.struct('Document')
    this.#doc.addStructure(this.#content)
  }

  get width(): number {
    return this.#doc.page.width - 2 * MARGIN
  }

  /** Writes text across the page, with a gap below. @param as its kind: a paragraph, or a heading of a level */
  write(text: string, style: Style, gap = 0, as: 'P' | 'H1' | 'H2' = 'P'): void {
    this.#table = undefined
    this.#add(this.#content, as, {}, () => this.#place(text, style, MARGIN, this.#doc.y, this.width))
    this.#doc.y += gap
  }

  /**
   * Draws a picture at the left margin, in the largest size that fits into its box, with a gap below.
   * @param text read by screen readers
   */
  picture({ bytes, width, height }: Picture, text: string, gap: number): void {
    this.#table = undefined
    const scale = Math.min(PICTURE_BOX.width / width, PICTURE_BOX.height / height)
    const size = { width: width * scale, height: height * scale }
    const { y } = this.#doc
    const bbox = [MARGIN, y, MARGIN + size.width, y + size.height] as const
    this.#add(this.#content, 'Figure', { alt: text, bbox, placement: 'Block' }, () =>
      this.#doc.image(Buffer.from(bytes), MARGIN, y, size),
    )
    this.#doc.y = y + size.height + gap
  }

  gap(height: number): void {
    this.#doc.y += height
  }

  /** Draws a line across the page. */
  rule(): void {
    const { y } = this.#doc
    this.#artifact('Layout', () =>
      this.#doc
        .moveTo(MARGIN, y)
        .lineTo(MARGIN + this.width, y)
        .lineWidth(0.75)
        .strokeColor(LINE)
        .stroke(),
    )
  }

  /** Writes texts next to each other, as a row of a table. A row is not split over two pages. */
  row(cells: readonly Cell[], padding = 6): void {
    const inner = cells.map(({ width }, i) => (i === cells.length - 1 ? width : width - padding))
    const heights = cells.map(({ text, style }, i) =>
      this.#set(style).heightOfString(this.#showable(text, style), { width: inner[i]!, features: [] }),
    )
    const height = Math.max(...heights)
    if (this.#doc.y + height + 2 * padding > this.#bottom) this.#doc.addPage()
    const top = this.#doc.y + padding
    let x = MARGIN
    this.#table ??= this.#add(this.#content, 'Table')
    const line = this.#add(this.#table, 'TR')
    for (const [i, { text, width, style, align = 'left', names }] of cells.entries()) {
      const from = x
      const options: ElementOptions = names === undefined ? {} : { scope: names }
      this.#add(line, names === undefined ? 'TD' : 'TH', options, () =>
        this.#place(text, style, from, top, inner[i]!, align),
      )
      x += width
    }
    this.#doc.y = top + height + padding
    this.rule()
  }

  /**
   * Writes a footer on every page and returns the finished document.
   * @param foot gets the number of its page and the number of pages
   */
  end(foot: (sheet: number, of: number) => { left: string; right: string }): Promise<Buffer> {
    const { start, count } = this.#doc.bufferedPageRange()
    for (let sheet = 0; sheet < count; sheet += 1) {
      this.#doc.switchToPage(start + sheet)
      // The footer is below the bottom margin: without this, writing it would add a page.
      this.#doc.page.margins.bottom = 0
      const { left, right } = foot(sheet + 1, count)
      const y = this.#doc.page.height - MARGIN - FOOTER_HEIGHT / 2
      const style = { size: 8, color: SOFT }
      this.#artifact('Pagination', () => {
        this.#place(left, style, MARGIN, y, this.width * 0.8)
        this.#place(right, style, MARGIN + this.width * 0.8, y, this.width * 0.2, 'right')
      })
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

  /** Adds an element to the structure, whose content `draw` writes. */
  #add(
    parent: PDFKit.PDFStructureElement,
    type: string,
    options: ElementOptions = {},
    draw?: () => void,
  ): PDFKit.PDFStructureElement {
    const element = this.#doc.struct(type, options, draw)
    parent.add(element)
    return element
  }

  /** Draws something that is no content: screen readers omit it. */
  #artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    this.#doc.markContent('Artifact', { type })
    draw()
    this.#doc.endMarkedContent()
  }

  #set({ size, font = 'regular', color = INK }: Style): PDFKit.PDFDocument {
    return this.#doc.font(font).fontSize(size).fillColor(color)
  }

  #place(text: string, style: Style, x: number, y: number, width: number, align: 'left' | 'right' = 'left'): void {
    // Without ligatures, so that copied text is the same as the text that was written.
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
