/** A request without a key: of a payer's browser, a web form, an acquirer's callback. */
export interface PageRequest {
  /** a HEAD is asked as a GET, and answered without its body */
  method: 'GET' | 'POST'
  /** path and query as asked for */
  url: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** names in lower case */
  headers: Readonly<Record<string, string>>
  /** as it arrived, at most the route's `mostBytes`; empty for a GET */
  body: Buffer
  requestId: string
}

/** A whole answer, or one that goes on: `stream` writes until it returns or `signal` says that the client left. */
export type PageAnswer =
  | { status: number; headers: Readonly<Record<string, string>>; body: string | Buffer }
  | {
      status: number
      headers: Readonly<Record<string, string>>
      stream: (write: (chunk: string) => void, signal: AbortSignal) => Promise<void>
    }

/**
 * A path served without a signature. `{name}` in the path is one segment, percent-decoded; a slash at the end of what
 * is asked for is left out. A handler that throws an ApiRefusal is answered as it says: as a readable page to a
 * browser, as JSON to everybody else.
 */
export interface PageRoute {
  method: 'GET' | 'POST'
  path: string
  mostBytes: number
  /** requests of one network address in a minute to this route; the installation's standard when absent */
  perMinute?: number
  handle(request: PageRequest): Promise<PageAnswer>
}
