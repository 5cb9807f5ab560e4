/** Returns another party's URL if it may be a link: https and without a password; otherwise undefined. */
export const outsideLink = (text: string | undefined): string | undefined => {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined
}

/**
 * Parses the URL of an acquirer's page. It comes from the adapter; in a sandbox it may be on this machine. Throws for
 * any other scheme than http and https.
 */
export const acquirerLink = (text: string): URL => {
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) throw new RangeError("an acquirer's page is a web address")
  return url
}
