import { createHash } from 'node:crypto'
import { operations, type Operation } from '@bursar/contract'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem}h2{margin-top:2.5rem;border-bottom:1px solid #8886}h3{margin:1.5rem 0 .3rem}code{overflow-wrap:anywhere}td:first-child code{white-space:nowrap}code,pre{font:14px/1.45 ui-monospace,monospace}
pre{overflow:auto;padding:.7rem;border:1px solid #8886;border-radius:.4rem}table{border-collapse:collapse;width:100%}
td,th{overflow-wrap:break-word;text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid #8883}.scroll{overflow-x:auto}a{color:inherit}`

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Descriptions are prose with `code` in backticks. */
const prose = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

interface Field {
  description?: string
  type?: string
  examples?: unknown[]
  properties?: Record<string, Field>
  required?: string[]
}

const rows = (title: string, schema: Field | null): string => {
  const properties = Object.entries(schema?.properties ?? {})
  if (properties.length === 0) return ''
  const body = properties.map(([name, field]) => {
    const needed = schema!.required?.includes(name) ? 'required' : ''
    return `<tr><td><code>${escape(name)}</code></td><td>${needed}</td><td>${prose(field.description ?? '')}</td></tr>`
  })
  return `<h4>${title}</h4><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><tbody>${body.join('')}</tbody></table></div>`
}

const example = (title: string, schema: Field | null): string => {
  const first = schema?.examples?.[0]
  return first === undefined ? '' : `<h4>${title}</h4><pre tabindex="0">${escape(JSON.stringify(first, null, 2))}</pre>`
}

const section = (operation: Operation): string => {
  const paths = [operation.path, ...operation.aliases.map((alias) => alias.path)]
  const errors = operation.errors.map(
    (error) => `<tr><td>${error.status}</td><td>${error.code}</td><td>${escape(error.meaning)}</td></tr>`,
  )
  return `<section id="${operation.id}"><h3>${escape(operation.summary)}</h3>
<p>${paths.map((path) => `<code>${operation.method} ${escape(path)}</code>`).join('<br>')}</p><p>${prose(operation.description)}</p>
${rows('Query', operation.query as Field | null)}${rows('Body', operation.body as Field | null)}
${example('Example', operation.body as Field | null)}${example('Answer', operation.response as Field | null)}
<details><summary>Errors</summary><table><thead><tr><th>HTTP</th><th>code</th><th>meaning</th></tr></thead><tbody>${errors.join('')}</tbody></table></details></section>`
}

/** The API reference as one page without scripts, made of the contract. */
export const referencePage = (): { html: string; styleHash: string } => {
  const tags = [...new Set(operations.map((operation) => operation.tag))]
  const contents = tags.map((tag) => {
    const links = operations
      .filter((o) => o.tag === tag)
      .map((o) => `<li><a href="#${o.id}">${escape(o.summary)}</a></li>`)
    return `<li>${escape(tag)}<ul>${links.join('')}</ul></li>`
  })
  const body = tags.map(
    (tag) =>
      `<h2>${escape(tag)}</h2>${operations
        .filter((o) => o.tag === tag)
        .map(section)
        .join('')}`,
  )
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Bursar API</title><style>${STYLE}</style></head><body><main><h1>Bursar API</h1>
<p>Every request carries <code>merchant-id</code>, <code>timestamp</code> (Unix seconds) and
<code>signature</code>: the lowercase hex HMAC-SHA256, with the private key as text, of method,
path with query, body and timestamp, with nothing between them.
The same as data: <a href="/openapi.json">openapi.json</a>.</p>
<nav aria-label="Operations"><ul>${contents.join('')}</ul></nav>${body.join('')}</main></body></html>`
  return { html, styleHash: createHash('sha256').update(STYLE).digest('base64') }
}
