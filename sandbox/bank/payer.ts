/** A payer without a browser: fills in the forms of the bank's page until the payment ends. */

/** How the payer reaches the page. */
export interface PageAddress {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly fields?: Readonly<Record<string, string>>
}

const mostSteps = 5
const answers: Readonly<Record<string, string>> = {
  expiry: '12/99',
  cvc: '123',
  holder: 'TARAS SHEVCHENKO',
  code: '1234',
}

/** Pays with a card number. Throws when the page has no form for it, or refuses it. */
export async function payOnPage({ method, url, fields }: PageAddress, card: string): Promise<void> {
  let page = await open(url, method === 'POST' ? new URLSearchParams({ ...fields }) : undefined)
  for (let step = 0; step < mostSteps; step += 1) {
    const form =
      /<form method="post" action="(?<action>[^"]+)"[^>]*data-step="(?<step>card|secure)"(?<inside>[^]*?)<\/form>/.exec(
        page.html,
      )?.groups
    if (form === undefined) {
      if (step === 0) throw new Error('the page has no form')
      return
    }
    const names = [...(form['inside'] ?? '').matchAll(/<input[^>]*name="(\w+)"/g)].map(([, name]) => name as string)
    const body = new URLSearchParams(
      names.map((name): [string, string] => [name, name === 'card' ? card : (answers[name] ?? '')]),
    )
    page = await open(new URL(form['action'] ?? '', page.url).href, body)
    if (page.status >= 400) throw new Error(`the page does not take it: HTTP ${page.status}`)
  }
}

/** Follows the redirects of the bank's own pages, and of no other's. */
async function open(url: string, body?: URLSearchParams): Promise<{ url: string; status: number; html: string }> {
  const answer = await fetch(url, { redirect: 'manual', ...(body === undefined ? {} : { method: 'POST', body }) })
  const next = answer.headers.get('location')
  const html = await answer.text()
  if (answer.status !== 303 || next === null) return { url, status: answer.status, html }
  return open(new URL(next, url).href)
}
