import { isNetwork, NETWORKS, type Network } from '@bursar/chainkit'
import { durations, generalErrors, type BodyOf, type createAddress, type createRotatingAddress } from '@bursar/contract'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { KeepTarget } from '../../platform/api/target.ts'
import { type ApiAnswer, type ApiRequest, type Route, refusal } from '../../platform/api/route.ts'
import { familyOf, type AddressFamily } from './family.ts'
import type { AddressIssuer, Issued } from './issuing.ts'

export interface AddressRoutesDeps {
  runtime: Pick<Runtime, 'clock' | 'newId'>
  issuer: AddressIssuer
  /** networks this installation watches */
  networks: ReadonlySet<Network>
  keepTarget: KeepTarget
}

type PermanentBody = BodyOf<typeof createAddress>
type RotatingBody = BodyOf<typeof createRotatingAddress>

/** Permanent and rotating deposit addresses (`contract.md` 5.2, 5.3). Every request gets a new address. */
export const addressRoutes = (deps: AddressRoutesDeps): Route[] => [
  {
    operation: 'createAddress',
    handle: async (request) => issue(deps, request, request.body as PermanentBody, null),
  },
  {
    operation: 'createRotatingAddress',
    handle: async (request) => {
      const body = request.body as RotatingBody
      const duration = readDuration(body, 'duration', durations.rotatingAddress)
      const after = readDuration(body, 'durationAfterReplenishment', durations.afterReplenishment)
      return issue(deps, request, body, { duration, after })
    },
  },
]

const issue = async (
  { runtime, issuer, networks, keepTarget }: AddressRoutesDeps,
  request: ApiRequest,
  body: PermanentBody,
  lease: { duration: number; after: number } | null,
): Promise<ApiAnswer> => {
  const { network, family } = readNetwork(body.blockchain, networks)
  const { at, newId } = momentOf(runtime)
  const id = newId()
  if (body.target !== undefined) await keepTarget({ merchantId: request.merchantId, kind: 'address', id }, body.target)
  const leasedUntil = lease && new Date(at.getTime() + lease.duration)
  const { before, after } = answerAround({
    blockchain: network,
    ...(body.meta === undefined ? {} : { meta: body.meta }),
    ...(leasedUntil ? { expiredAt: leasedUntil.getTime() } : {}),
  })
  const issued = await issuer.issue({
    merchantId: request.merchantId,
    id,
    family,
    blockchain: network,
    meta: readMeta(body.meta),
    leasedUntil,
    leaseAfterDepositMs: lease && lease.after,
    createdAt: at,
    answer: { keys: request.answerKeys, before, after },
  })
  return answerOf(issued, before, after)
}

/** The answer as JSON before and after the address, which only the database knows when it stores the answer. */
const answerAround = (rest: Record<string, unknown>): { before: string; after: string } => ({
  before: '{"address":"',
  after: `",${JSON.stringify(rest).slice(1)}`,
})

const answerOf = (issued: Issued, before: string, after: string): ApiAnswer => {
  switch (issued.kind) {
    case 'issued':
      return { status: 200, json: before + issued.address + after }
    case 'answered':
      return { status: issued.status, json: issued.body }
    case 'key-reused':
      throw refusal(generalErrors.conflict, 'this Idempotency-Key came before with another request: use a new one')
    case 'limit-reached':
      throw refusal(
        generalErrors.invalidRequest,
        `address limit exceeded: this merchant may have ${issued.limit} addresses; ask the operator for more`,
      )
  }
}

const readNetwork = (text: string, networks: ReadonlySet<Network>): { network: Network; family: AddressFamily } => {
  const known = NETWORKS.filter((network) => networks.has(network))
  if (!isNetwork(text)) {
    throw refusal(generalErrors.invalidRequest, `unknown blockchain: send one of ${known.join(', ')}`, 'blockchain')
  }
  if (!networks.has(text)) {
    const description = `${text} is not served here: send one of ${known.join(', ')}`
    throw refusal(generalErrors.invalidRequest, description, 'blockchain')
  }
  return { network: text, family: familyOf(text) }
}

/** Refuses text that PostgreSQL can't store, because it could not be returned as it was sent. */
const readMeta = (meta: string | undefined): string | null => {
  if (meta === undefined) return null
  if (meta.includes('\0') || !meta.isWellFormed()) {
    throw refusal(generalErrors.invalidRequest, 'meta must be Unicode text without U+0000', 'meta')
  }
  return meta
}

const readDuration = (
  body: RotatingBody,
  field: 'duration' | 'durationAfterReplenishment',
  { min, max, default: standard }: { min: number; max: number; default: number },
): number => {
  const given = body[field]
  if (given === undefined) return standard
  const ms = Number(given)
  if (!Number.isSafeInteger(ms) || ms < min || ms > max) {
    throw refusal(generalErrors.invalidRequest, `${field} is in ms, from ${min} to ${max}`, field)
  }
  return ms
}
