/** Markup that is safe to insert into a page. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/**
 * Makes markup. Texts are escaped, for use between tags and in quoted attributes. The checkout's template would be
 * another package of the signer (decision 212).
 */
export function html(texts: TemplateStringsArray, ...values: readonly (string | Markup | readonly Markup[])[]): Markup {
  const parts = values.map((value) => {
    if (typeof value === 'string') return value.replaceAll(/[&<>"'`]/g, (sign) => ENTITIES[sign]!)
    return value instanceof Markup ? value.text : value.map(({ text }) => text).join('')
  })
  return new Markup(texts.map((text, at) => text + (parts[at] ?? '')).join(''))
}
