import type { Acquirer } from '../../adapters/acquirers/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import type { PageAnswer, PageRequest, PageRoute } from '../../platform/api/page.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { digestOf, hearCallback, type CallbackSubscriber } from './callback.ts'
import { readSigned } from './jobs-callbacks.ts'

export interface CallbackRoutesDeps {
  runtime: Runtime
  acquirers: ReadonlyMap<string, Pick<Acquirer, 'name' | 'readCallback'>>
  /** in this order; the first that owns the reference handles the callback */
  subscribers: readonly CallbackSubscriber[]
}

const MOST_BYTES = 65_536
/** Callbacks from one network address. An acquirer sends all callbacks from few addresses, so the limit is high. */
const PER_MINUTE = 60_000

/** The path for an acquirer's callbacks. Only callbacks with a valid signature are accepted. */
export const callbackPath = (acquirer: string): string => `/acquirers/${acquirer}/callback`

export const callbackRoutes = (deps: CallbackRoutesDeps): PageRoute[] => [
  {
    method: 'POST',
    path: callbackPath('{name}'),
    mostBytes: MOST_BYTES,
    perMinute: PER_MINUTE,
    handle: (request) => hear(deps, request),
  },
]

const hear = async (
  { runtime, acquirers, subscribers }: CallbackRoutesDeps,
  { params, headers, url, body, requestId }: PageRequest,
): Promise<PageAnswer> => {
  const acquirer = acquirers.get(params.name!)
  if (!acquirer) return plain(404, 'no such acquirer\n')
  const raw = { headers, url, body }
  const callback = readSigned(acquirer, raw)
  if (!callback) {
    runtime.log.warn({ acquirer: acquirer.name, requestId }, 'a callback lacks a valid signature of its acquirer')
    return plain(400, 'not signed by the acquirer\n')
  }
  const { reference, state, ack } = callback
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const heard = { acquirer: acquirer.name, reference, state }
    await carryOut(tx, await hearCallback(tx, { heard, digest: digestOf(raw) }, subscribers, moment), moment)
  })
  return {
    status: ack.status,
    headers: { 'content-type': ack.contentType, 'cache-control': 'no-store' },
    body: ack.body,
  }
}

const plain = (status: number, body: string): PageAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body,
})
