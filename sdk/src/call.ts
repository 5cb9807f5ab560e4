import { readAnswer } from './answer.ts'
import { BursarError, BursarNetworkError } from './errors.ts'
import { routes } from './generated.ts'
import type { OperationId, Operations } from './generated.ts'
import { prepareRequest } from './request.ts'
import type { Account, Input, PreparedRequest } from './request.ts'

/** Options of any call. */
export interface CallOptions {
  /** Overrides the client's. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Options of a signed POST. */
export interface PostOptions extends CallOptions {
  /**
   * Makes the call safe to repeat: the same key with the same body returns the first answer again, for 30 days. 1 to
   * 255 visible ASCII characters.
   */
  readonly idempotencyKey?: string | undefined
}

/**
 * Carries out an operation. Throws `BursarError` for an unsuccessful answer, `BursarNetworkError` when there is none.
 */
export type Call = <Id extends OperationId>(
  id: Id,
  input: Operations[Id]['input'],
  options?: PostOptions,
) => Promise<Operations[Id]['answer']>

export interface Transport {
  readonly timeoutMs: number
  readonly fetch: typeof globalThis.fetch
  /** ms since the epoch */
  readonly now: () => number
}

const exchange = async (request: PreparedRequest, signal: AbortSignal, { fetch }: Transport): Promise<unknown> => {
  const { url, method, headers, body = null } = request
  // A redirect is not followed: the signature would go to the host that the answer names.
  const response = await fetch(url, { method, headers, body, redirect: 'manual', signal })
  return readAnswer(response, request)
}

export const caller =
  (account: Account, transport: Transport): Call =>
  async (id, input, options = {}) => {
    const { idempotencyKey, signal, timeoutMs = transport.timeoutMs } = options
    const request = prepareRequest(routes[id], input as Input, account, { now: transport.now(), idempotencyKey })
    const timeout = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
    try {
      return (await exchange(request, either, transport)) as Operations[typeof id]['answer']
    } catch (error) {
      if (error instanceof BursarError) throw error
      const reason = signal?.aborted ? 'aborted' : timeout.aborted ? 'timeout' : 'network'
      throw new BursarNetworkError(reason, `${request.method} ${request.url.pathname}`, error)
    }
  }
