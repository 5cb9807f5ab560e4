/** Markup that is safe to put into a page. Made by `html` alone, which escapes every text it is handed. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template: text, which is escaped, markup, nothing, or several of these. */
export type Piece = string | number | Markup | undefined | false | readonly Piece[]

/** Markup from a template. Values stand between tags or in quoted attributes, nowhere else. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  new Markup(strings.map((text, i) => text + (i < pieces.length ? textOf(pieces[i]) : '')).join(''))

const textOf = (piece: Piece): string => {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return escapeText(String(piece))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Safe between tags and in a quoted attribute. */
export const escapeText = (text: string): string => text.replaceAll(/[&<>"'`]/g, (sign) => ENTITIES[sign]!)

/** What a stranger wrote: it can't turn the direction of the text around it. */
export const foreign = (text: string): Markup => html`<bdi>${text}</bdi>`
