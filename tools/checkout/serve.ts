/** Serves the page of every state under its name, without a database, for screenshots and browser tests. */
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import { languageOf, renderPage, renderProblem, versionOf, type PageView } from '@bursar/checkout'

export interface PageServer {
  url: string
  /** the pages by name; may be changed while serving */
  views: Map<string, PageView>
  /** notifies every open page of a name of a change */
  notify(name: string): void
  close(): Promise<void>
}

/** Serves `GET /{name}` and the resources of that page. With `stay`, no script redirects a payer to another host. */
export const servePages = async (views: ReadonlyMap<string, PageView>, { stay = false } = {}): Promise<PageServer> => {
  const shown = new Map(views)
  const open = new Set<{ name: string; write(text: string): void }>()
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost')
    const name = decodeURIComponent(url.pathname.slice(1)).replace(/\/live$/, '')
    const language = languageOf(url.searchParams.get('lang') ?? undefined, request.headers['accept-language'])
    const found = shown.get(name)
    const view = found && { ...found, path: `/${name}` }
    if (view && url.pathname.endsWith('/live')) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      const one = { name, write: (text: string) => void response.write(text) }
      open.add(one)
      response.once('close', () => open.delete(one))
      one.write(`data: ${versionOf(view)}\n\n`)
      return
    }
    const page = view
      ? renderPage(view, language)
      : renderProblem({ status: 404, description: undefined, requestId: 'r-1' }, language)
    response.writeHead(view ? 200 : 404, page.headers)
    response.end(stay ? page.html.replaceAll('data-leave="yes"', 'data-leave="no"') : page.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    views: shown,
    notify: (name) => {
      const view = shown.get(name)
      for (const one of open) if (one.name === name && view) one.write(`data: ${versionOf(view)}\n\n`)
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
