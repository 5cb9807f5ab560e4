/** Markup that is safe to insert into a page. Only `html` makes it, and it escapes every text. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value of a template: text, which is escaped, markup, nothing, or several of these. */
export type Piece = string | number | Markup | undefined | false | readonly Piece[]

/** Makes markup from a template. Values may be between tags or in quoted attributes only. */
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

/** Escapes a text for use between tags and in quoted attributes. */
export const escapeText = (text: string): string => text.replaceAll(/[&<>"'`]/g, (sign) => ENTITIES[sign]!)

/** Isolates a text of another party, so that it can't change the text direction around it. */
export const foreign = (text: string): Markup => html`<bdi>${text}</bdi>`
