import type { StreamedAnswer } from './route.ts'

/** An unsigned request: of a payer's browser, a web form or an acquirer's callback. */
export interface PageRequest {
  /** a HEAD request is handled as a GET, and answered without a body */
  method: 'GET' | 'POST'
  /** path and query as requested */
  url: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** names in lower case */
  headers: Readonly<Record<string, string>>
  /** as it arrived, at most the route's `mostBytes`; empty for a GET */
  body: Buffer
  requestId: string
}

/** A file for the members of a merchant, sent at the speed of its client. It has the headers of every file. */
export type FileAnswer = StreamedAnswer & { status: 200; headers: Readonly<Record<string, never>>; merchantId: string }

/** A complete response, a file, or a stream: `stream` writes until it returns, or `signal` reports a disconnect. */
export type PageAnswer =
  | FileAnswer
  | { status: number; headers: Readonly<Record<string, string>>; body: string | Buffer }
  | {
      status: number
      headers: Readonly<Record<string, string>>
      stream: (write: (chunk: string) => void, signal: AbortSignal) => Promise<void>
    }

/**
 * A path that needs no signature. `{name}` in the path is one percent-decoded segment; a slash at the end of the
 * requested path is ignored. When a handler throws an ApiRefusal, a browser gets a readable page, other clients get
 * JSON.
 */
export interface PageRoute {
  method: 'GET' | 'POST'
  path: string
  mostBytes: number
  /** requests per minute from one network address to this route; the installation's default when absent */
  perMinute?: number
  handle(request: PageRequest): Promise<PageAnswer>
}
