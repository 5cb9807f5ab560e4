import { createHash } from 'node:crypto'
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { operations, type Operation } from '@bursar/contract'

const STYLE = html`:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem}h2{margin-top:2.5rem;border-bottom:1px solid #8886}h3{margin:1.5rem 0 .3rem}code{overflow-wrap:anywhere}td:first-child code{white-space:nowrap}code,pre{font:14px/1.45 ui-monospace,monospace}
pre{overflow:auto;padding:.7rem;border:1px solid #8886;border-radius:.4rem}table{border-collapse:collapse;width:100%}
td,th{overflow-wrap:break-word;text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid #8883}.scroll{overflow-x:auto}a{color:inherit}`

/** Converts a description: prose with `code` in backticks. */
const prose = (text: string): Markup[] =>
  text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))

interface Field {
  description?: string
  type?: string
  examples?: unknown[]
  properties?: Record<string, Field>
  required?: string[]
}

const rows = (title: string, schema: Field | null): Piece => {
  const properties = Object.entries(schema?.properties ?? {})
  if (properties.length === 0) return ''
  const body = properties.map(([name, field]) => {
    const needed = schema!.required?.includes(name) ? 'required' : ''
    return html`<tr><td><code>${name}</code></td><td>${needed}</td><td>${prose(field.description ?? '')}</td></tr>`
  })
  return html`<h4>${title}</h4><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><tbody>${body}</tbody></table></div>`
}

const example = (title: string, schema: Field | null): Piece => {
  const first = schema?.examples?.[0]
  return first === undefined ? '' : html`<h4>${title}</h4><pre tabindex="0">${JSON.stringify(first, null, 2)}</pre>`
}

const columns = ({ csv }: Operation): Piece =>
  csv === null ? '' : html`<h4>Columns of the CSV</h4><p><code>${csv.join(', ')}</code></p>`

const section = (operation: Operation): Markup => {
  const paths = [operation.path, ...operation.aliases.map((alias) => alias.path)]
  const errors = operation.errors.map(
    (error) => html`<tr><td>${error.status}</td><td>${error.code}</td><td>${error.meaning}</td></tr>`,
  )
  return html`<section id="${operation.id}"><h3>${operation.summary}</h3>
<p>${paths.map((path, i) => [i > 0 && html`<br>`, html`<code>${operation.method} ${path}</code>`])}</p><p>${prose(operation.description)}</p>
${rows('Query', operation.query as Field | null)}${rows('Body', operation.body as Field | null)}
${example('Example', operation.body as Field | null)}${example('Answer', operation.response as Field | null)}${columns(operation)}
<details><summary>Errors</summary><table><thead><tr><th>HTTP</th><th>code</th><th>meaning</th></tr></thead><tbody>${errors}</tbody></table></details></section>`
}

/** Renders the API reference from the contract, as one page without scripts. */
export const referencePage = (): { html: string; styleHash: string } => {
  const tags = [...new Set(operations.map((operation) => operation.tag))]
  const contents = tags.map((tag) => {
    const links = operations.filter((o) => o.tag === tag).map((o) => html`<li><a href="#${o.id}">${o.summary}</a></li>`)
    return html`<li>${tag}<ul>${links}</ul></li>`
  })
  const body = tags.map((tag) => html`<h2>${tag}</h2>${operations.filter((o) => o.tag === tag).map(section)}`)
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Bursar API</title><style>${STYLE}</style></head><body><main><h1>Bursar API</h1>
<p>Every request carries <code>merchant-id</code>, <code>timestamp</code> (Unix seconds) and
<code>signature</code>: the lowercase hex HMAC-SHA256, with the private key as text, of method,
path with query, body and timestamp, with nothing between them.
The same as data: <a href="/openapi.json">openapi.json</a>.</p>
<nav aria-label="Operations"><ul>${contents}</ul></nav>${body}</main></body></html>`
  return { html: page.text, styleHash: createHash('sha256').update(STYLE.text).digest('base64') }
}
