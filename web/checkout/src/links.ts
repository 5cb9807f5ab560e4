/** The address of another party's page when it may be a link: https and without a password, or undefined. */
export const outsideLink = (text: string | undefined): string | undefined => {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined
}

/**
 * An acquirer's page comes from its adapter, and may be of this machine in a sandbox. Throws for what is no web
 * address.
 */
export const acquirerLink = (text: string): URL => {
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) throw new RangeError("an acquirer's page is a web address")
  return url
}
