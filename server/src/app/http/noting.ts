import type { IncomingMessage } from 'node:http'
import type { RefusedRequest } from '../../merchants/refused-requests/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { ApiRefusal } from '../../platform/api/route.ts'
import type { ClientAddress } from './client-address.ts'
import type { EdgeDeps } from './operation.ts'
import { tooManyRequests, withoutSecrets } from './refusals.ts'
import { pathOf } from './target.ts'

/** Called with each refused request of a merchant that exists; only changes memory. */
export type OnRefused = (refused: RefusedRequest) => void

interface Noting extends Pick<EdgeDeps, 'directory' | 'clock'> {
  clientAddress: ClientAddress
  onRefused: OnRefused
}

/** The facts of a refused request that are known where it is answered. */
export interface Refused {
  request: IncomingMessage
  requestId: string
  operation: string
  /** of its valid signature; null: it has none */
  merchantId: string | null
  keyId: string | null
  refusal: ApiRefusal
}

const LONGEST_PATH = 200
const LONGEST_REASON = 500

/**
 * Passes a refused request on to the log of its merchant. Without a valid signature it counts for the merchant that it
 * names; requests above the limit of their network address are omitted.
 */
export const noteRefused = async (
  { directory, clock, clientAddress, onRefused }: Noting,
  { request, requestId, operation, merchantId: signed, keyId, refusal }: Refused,
): Promise<void> => {
  const merchantId = signed ?? namedBy(request)
  if (merchantId === undefined) return
  if (signed === null && refusal.status === tooManyRequests.status) return
  if (signed === null && !(await directory.find(merchantId))) return
  onRefused({
    merchantId,
    keyId,
    at: clock.now(),
    requestId,
    method: request.method ?? '',
    path: withoutSecrets(pathOf(request.url ?? '')).slice(0, LONGEST_PATH),
    operation,
    status: refusal.status,
    code: refusal.code,
    reason: withoutSecrets(refusal.message).slice(0, LONGEST_REASON),
    from: clientAddress(request),
  })
}

const namedBy = ({ headers }: IncomingMessage): string | undefined => {
  const named = headers['merchant-id']
  if (typeof named !== 'string') return undefined
  const id = named.trim().toLowerCase()
  return isUuid(id) ? id : undefined
}
