/** Texts and hidden fields of pages, as a reader and a browser get them. */

interface Page {
  text: string
}

/** The text that a reader of a page sees, without tags. */
export const textOf = ({ text }: Page): string =>
  unescaped(
    text
      .replaceAll(/<(style|script)[^]*?<\/\1>/g, ' ')
      .replaceAll('<wbr>', '')
      .replaceAll(/<[^>]*>/g, ' '),
  ).replaceAll(/\s+/g, ' ')

/** The source of a page without its scripts. */
export const withoutScript = (text: string): string => text.replaceAll(/<script[^]*?<\/script>/g, '')

/** The text of an attribute or of a node. */
export const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The value of a hidden field of a page. */
export const fieldOf = ({ text }: Page, name: string): string => {
  const found = new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1]
  if (found === undefined) throw new Error(`the page has no field ${name}`)
  return unescaped(found)
}

/** The hidden fields with which a form of a sign-in or a proof carries the text that was typed before. */
export const carriedFields = ({ text }: Page): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/name="(draft-[^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, unescaped(value!)]),
  )
