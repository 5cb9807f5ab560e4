import { randomBytes } from 'node:crypto'

/**
 * Values that a span may state: names, states, networks, status codes. Never an address, an amount, a secret or a text
 * of a person.
 */
export type Attributes = Readonly<Record<string, string | number>>

/** The side of a call that a span is about, as OTLP names it. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer'

/** The program whose work a span shows. */
export type Program = 'server' | 'signer'

/** A step of work, before it is known to which traces it belongs. */
export interface Step {
  name: string
  kind: SpanKind
  /** ms since the epoch, with fractions */
  startedAt: number
  /** ms since the epoch, with fractions */
  endedAt: number
  attributes: Attributes
  failed: boolean
  program?: Program
}

/** A step in one trace. */
export interface Span extends Step {
  /** 32 hexadecimal digits */
  traceId: string
  /** 16 hexadecimal digits */
  spanId: string
  /** absent: the first span of its trace */
  parentId: string | undefined
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Ids of spans for which random bytes are fetched at once, because a system call costs more than an id. */
const BATCH = 128
const ID_BYTES = 8

/** Returns the trace of an order: the digits of its UUID. Undefined for an id that is no UUID in lower case. */
export const traceOf = (orderId: string): string | undefined =>
  UUID.test(orderId) ? orderId.replaceAll('-', '') : undefined

/**
 * Returns the id of the first span of a trace. Every process derives it from the trace's id, so that no process has to
 * pass it to another one.
 */
export const firstSpanOf = (traceId: string): string => traceId.slice(16)

/**
 * Whether a trace belongs to the share that is recorded. The last 32 bits of the id decide, which are random in a UUID
 * of version 7, so that all processes choose the same traces.
 * @param share from 0 to 1
 */
export const isSampled = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32

/** Makes random ids of spans. */
export const createSpanIds = (): (() => string) => {
  let pool = ''
  return () => {
    if (pool === '') pool = randomBytes(ID_BYTES * BATCH).toString('hex')
    const id = pool.slice(0, 2 * ID_BYTES)
    pool = pool.slice(2 * ID_BYTES)
    return id
  }
}

/** The present time for spans, in ms since the epoch with fractions: it never goes back within a process. */
export const spanTime = (): number => performance.timeOrigin + performance.now()
