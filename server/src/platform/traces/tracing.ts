/**
 * Traces of orders. The trace of an order has the order's UUID as its id, so that the processes which carry out the
 * order need no context of each other. While tracing is off, each function here only looks at one variable.
 *
 * A unit of work (a request, a run of a job) is written into the trace of each order that it changed, with the steps
 * about that order below it. A change counts only after the commit of its database transaction.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createSpanIds,
  firstSpanOf,
  isSampled,
  spanTime,
  traceOf,
  type Attributes,
  type Span,
  type SpanKind,
  type Step,
} from './span.ts'

/** Receives spans that are complete. It must not throw, and must not wait. */
export interface SpanSink {
  add(span: Span): void
  /** counts spans that were not added, because a unit had too many */
  drop(spans: number): void
}

/** A change of an order in a database transaction that is still open. */
export interface OrderChange {
  orderId: string
  /** the kind of the order, such as `withdrawal` */
  kind: string
  /** the change created the order: its span is the first one of the trace */
  isFirst?: boolean
  status?: string
}

interface Unit {
  spanId: string
  /** the orders that the unit changed; true: it created the order */
  orders: Map<string, boolean>
  steps: { step: Step; spanId: string; below: string | undefined; orders: readonly string[] }[]
  dropped: number
}

interface Tracing {
  sink: SpanSink
  share: number
}

/** Limits of one unit of work. Further orders and steps are counted as dropped. */
const MOST_ORDERS = 256
const MOST_STEPS = 512

let tracing: Tracing | undefined
const units = new AsyncLocalStorage<Unit>()
const newSpanId = createSpanIds()
const changes = new WeakMap<object, OrderChange[]>()

/**
 * Starts or ends tracing for this process.
 * @param share of the orders that are traced, from 0 to 1
 */
export const setTracing = (sink: SpanSink | undefined, share = 1): void => {
  tracing = sink && { sink, share }
}

/** Whether this process records traces. */
export const isTracing = (): boolean => tracing !== undefined

/**
 * Runs a unit of work. Its span is written at its end, into the trace of each order that it changed; a unit that
 * changed no order writes nothing. Within another unit the work runs as a part of that one.
 */
export const inUnit = async <T>(
  { name, kind, attributes }: { name: string; kind: SpanKind; attributes: Attributes },
  work: () => Promise<T>,
): Promise<T> => {
  if (tracing === undefined || units.getStore() !== undefined) return work()
  const unit: Unit = { spanId: newSpanId(), orders: new Map(), steps: [], dropped: 0 }
  const startedAt = spanTime()
  let failed = true
  try {
    const result = await units.run(unit, work)
    failed = false
    return result
  } finally {
    writeUnit(unit, { name, kind, attributes, startedAt, endedAt: spanTime(), failed })
  }
}

/** Adds an order to the unit of work that runs: one that it read or sent. Does nothing outside a unit. */
export const noteOrder = (orderId: string): void => {
  if (tracing === undefined) return
  const unit = units.getStore()
  if (unit !== undefined) join(unit, orderId, false)
}

/** What the work of a step adds to its span. */
export interface StepNotes {
  attributes(more: Attributes): void
  failed(): void
  /** a step of the called program, which lies within this one */
  below(step: Step): void
}

/**
 * Runs a call to another system, and records it as a step of the orders that it is about.
 * @param orders called only while tracing is on. If it fails, the call is made without a span
 */
export const inStep = async <T>(
  { name, kind, attributes }: { name: string; kind: SpanKind; attributes: Attributes },
  orders: () => readonly string[] | Promise<readonly string[]>,
  work: (notes: StepNotes | undefined) => Promise<T>,
): Promise<T> => {
  if (tracing === undefined) return work(undefined)
  const about = await ordersFrom(orders)
  if (about.length === 0) return work(undefined)
  const startedAt = spanTime()
  const steps: Step[] = []
  let more: Attributes = attributes
  let failed = false
  const notes: StepNotes = {
    attributes: (added) => (more = { ...more, ...added }),
    failed: () => (failed = true),
    below: (step) => steps.push(step),
  }
  try {
    return await work(notes)
  } catch (error) {
    failed = true
    throw error
  } finally {
    record({ name, kind, attributes: more, startedAt, endedAt: spanTime(), failed }, about, steps)
  }
}

/** A trace never stops the work that it shows. */
const ordersFrom = async (orders: () => readonly string[] | Promise<readonly string[]>): Promise<readonly string[]> => {
  try {
    return await orders()
  } catch {
    return []
  }
}

/** Notes changes of orders in an open database transaction. They are recorded after its commit only. */
export const noteChanges = (tx: object, made: () => readonly OrderChange[]): void => {
  if (tracing === undefined) return
  const noted = changes.get(tx)
  if (noted === undefined) changes.set(tx, [...made()])
  else noted.push(...made())
}

/** Runs one attempt of a database transaction, and records its commit as a step of the orders that it changed. */
export const inCommit = async <Tx extends object, T>(
  execute: (work: (tx: Tx) => Promise<T>) => Promise<T>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => {
  if (tracing === undefined) return execute(work)
  const startedAt = spanTime()
  let opened: Tx | undefined
  const result = await execute((tx) => work((opened = tx)))
  if (opened !== undefined) recordCommit('database commit', startedAt, changes.get(opened) ?? [])
  return result
}

/** Records a commit that has happened. @param startedAt as `spanTime` states it */
export const recordCommit = (name: string, startedAt: number, made: readonly OrderChange[]): void => {
  if (tracing === undefined || made.length === 0) return
  const endedAt = spanTime()
  for (const [orderId, some] of Map.groupBy(made, (one) => one.orderId)) {
    const status = some.flatMap((one) => one.status ?? []).join(', ')
    const attributes = { 'bursar.order.kind': some[0]!.kind, ...(status !== '' && { 'bursar.order.status': status }) }
    const isFirst = some.some((one) => one.isFirst === true)
    record({ name, kind: 'internal', attributes, startedAt, endedAt, failed: false }, [orderId], [], isFirst)
  }
}

const record = (step: Step, orders: readonly string[], below: readonly Step[], isFirst = false): void => {
  const unit = units.getStore()
  const spanId = newSpanId()
  if (unit === undefined) {
    for (const orderId of orders) writeAlone(step, orderId, { spanId, isFirst, below })
    return
  }
  const taken = orders.filter((orderId) => join(unit, orderId, isFirst))
  if (unit.steps.length + 1 + below.length > MOST_STEPS) {
    unit.dropped += 1 + below.length
    return
  }
  unit.steps.push({ step, spanId, below: undefined, orders: taken })
  for (const inner of below) unit.steps.push({ step: inner, spanId: newSpanId(), below: spanId, orders: taken })
}

/** Adds an order to a unit. False when the unit has too many. */
const join = (unit: Unit, orderId: string, isFirst: boolean): boolean => {
  const known = unit.orders.get(orderId)
  if (known === undefined && unit.orders.size >= MOST_ORDERS) {
    unit.dropped += 1
    return false
  }
  unit.orders.set(orderId, known === true || isFirst)
  return true
}

/** Writes a step outside a unit. The step that created the order is the first span of the trace. */
const writeAlone = (
  step: Step,
  orderId: string,
  { spanId, isFirst, below }: { spanId: string; isFirst: boolean; below: readonly Step[] },
): void => {
  const traceId = sampledTrace(orderId)
  if (traceId === undefined) return
  const own = isFirst ? firstSpanOf(traceId) : spanId
  const { sink } = tracing!
  sink.add({ ...step, traceId, spanId: own, parentId: isFirst ? undefined : firstSpanOf(traceId) })
  for (const inner of below) sink.add({ ...inner, traceId, spanId: newSpanId(), parentId: own })
}

const writeUnit = (unit: Unit, whole: Step): void => {
  if (tracing === undefined) return
  const { sink } = tracing
  if (unit.dropped > 0) sink.drop(unit.dropped)
  for (const [orderId, isFirst] of unit.orders) {
    const traceId = sampledTrace(orderId)
    if (traceId === undefined) continue
    const own = isFirst ? firstSpanOf(traceId) : unit.spanId
    sink.add({ ...whole, traceId, spanId: own, parentId: isFirst ? undefined : firstSpanOf(traceId) })
    for (const { step, spanId, below, orders } of unit.steps)
      if (orders.includes(orderId)) sink.add({ ...step, traceId, spanId, parentId: below ?? own })
  }
}

const sampledTrace = (orderId: string): string | undefined => {
  const traceId = traceOf(orderId)
  return traceId !== undefined && tracing !== undefined && isSampled(traceId, tracing.share) ? traceId : undefined
}
