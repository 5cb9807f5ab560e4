/** The way from an invoice's page to the acquirer's: a link, or a form that the payer's browser posts. */

export interface PayerPage {
  readonly url: string
  /** undefined: a link */
  readonly fields?: URLSearchParams
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#96;': '`',
}

const textOf = (escaped: string): string => escaped.replaceAll(/&(?:amp|lt|gt|quot|#39|#96);/g, (one) => ENTITIES[one]!)

/** @returns undefined: the page leads to no acquirer now */
export const pageIn = (html: string): PayerPage | undefined => {
  const link = /<a [^>]*href="([^"]+)"[^>]*data-leave="/.exec(html)
  if (link) return { url: textOf(link[1]!) }
  const form = /<form method="post" action="([^"]+)" data-leave="[^"]*">(.*?)<\/form>/s.exec(html)
  if (!form) return undefined
  const inputs = [...form[2]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    url: textOf(form[1]!),
    fields: new URLSearchParams(inputs.map(([, name, value]): [string, string] => [textOf(name!), textOf(value!)])),
  }
}
