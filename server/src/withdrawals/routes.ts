import { feeLookupErrors, generalErrors, orderErrors } from '@bursar/contract'
import { sql } from 'kysely'
import { isUuid } from '../base/id.ts'
import type { Db } from '../db/index.ts'
import type { Committer } from '../ledger/index.ts'
import { formatUnits } from '../money/index.ts'
import { placeOrder, readOwnFee, readText } from '../orders/index.ts'
import { ApiRefusal, type ApiAnswer, type ApiRequest, type Route } from '../platform/route.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import { withdrawalBody, wireStatus, type Carried } from './notice.ts'
import { holdItem, newWithdrawal, readPlace } from './placing.ts'
import { currentFee, readAmount, readAsset, readDestination, type Rules, type WithdrawalBody } from './request.ts'
import { findById, findByLocalId } from './store.ts'
import { createTermsReader, type Terms } from './terms.ts'
import type { AddressHolders } from './whose.ts'
import type { Withdrawal } from './withdrawal.ts'

export interface WithdrawalRoutesDeps {
  runtime: Runtime
  committer: Committer
  holders: Pick<AddressHolders, 'whose'>
  rules: Rules
}

export const withdrawalRoutes = (deps: WithdrawalRoutesDeps): Route[] => {
  const { runtime, rules } = deps
  const terms = createTermsReader(runtime.db, rules.catalogue, runtime.clock.now)
  return [
    { operation: 'createCryptoWithdrawal', handle: async (request) => create(deps, request, await terms()) },
    {
      operation: 'getCryptoWithdrawalFee',
      handle: async ({ query }) => {
        const asked = { ticker: query.ticker!, blockchain: query.blockchain! }
        const where = readAsset(asked, rules, feeLookupErrors.assetNotSupported)
        const units = readAmount(query.amount!, where)
        const to = query.address
        const internal =
          to !== undefined && (await deps.holders.whose(where.on.network, readDestination(to, where.on.network, rules))) === 'merchant'
        const fee = currentFee(where, units, internal, await terms(), rules.catalogue)
        return ok({ value: formatUnits(fee, where.asset.scale) })
      },
    },
    {
      operation: 'getCryptoWithdrawal',
      handle: async ({ merchantId, params }) => {
        const id = params.id!.toLowerCase()
        const withdrawal = isUuid(id) ? await findById(runtime.db, merchantId, id) : undefined
        if (!withdrawal) {
          throw new ApiRefusal(generalErrors.notFound.status, generalErrors.notFound.code, 'no such withdrawal: check its id')
        }
        return ok(await bodyOf(deps, withdrawal))
      },
    },
    {
      operation: 'findWithdrawals',
      handle: async ({ merchantId, query }) => {
        const withdrawal = await findByLocalId(runtime.db, merchantId, query.localId!)
        // Of one that is part of something larger, the localId is the whole's.
        return ok(withdrawal ? [{ ...(await bodyOf(deps, withdrawal)), localId: query.localId! }] : [])
      },
    },
  ]
}

const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

const create = async (
  deps: WithdrawalRoutesDeps,
  request: ApiRequest,
  terms: Terms,
): Promise<ApiAnswer> => {
  const body = request.body as WithdrawalBody
  const { rules } = deps
  for (const field of ['meta', 'localId'] as const) readText(body[field], field)
  const where = readAsset(body, rules, orderErrors.invalidOrder)
  const units = readAmount(body.amount, where)
  const place = await readPlace(deps, { ...body, merchantId: request.merchantId }, where, terms)
  const fee = readOwnFee(body.fee, currentFee(where, units, place.internal, terms, rules.catalogue), where.asset)
  const given = { merchantId: request.merchantId, units, fee, localId: body.localId ?? null, meta: body.meta ?? null, toldAs: null }
  const withdrawal = newWithdrawal(place, given, momentOf(deps.runtime))
  return placeOrder(deps.committer, request, {
    id: withdrawal.id,
    operation: 'createCryptoWithdrawal',
    localId: withdrawal.localId,
    item: holdItem(withdrawal),
    scale: where.asset.scale,
  })
}

const bodyOf = async (deps: WithdrawalRoutesDeps, withdrawal: Withdrawal): Promise<Record<string, unknown>> => {
  const asset = deps.rules.catalogue.findCrypto(withdrawal.ticker)
  if (!asset) throw new Error(`asset ${withdrawal.ticker} is no longer configured`)
  return withdrawalBody(withdrawal, asset, wireStatus(withdrawal), await carriedOf(deps.runtime.db, withdrawal))
}

const carriedOf = async (db: Db, { outgoingId }: Withdrawal): Promise<Carried> => {
  if (outgoingId === null) return { hash: null, from: [], block: null }
  const { rows } = await sql<Carried>`select coalesce(o.mined_hash, a.hash) as hash, o.senders as "from", o.mined_height as block
    from outgoing o left join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.id = ${outgoingId}`.execute(db)
  return rows[0] ?? { hash: null, from: [], block: null }
}
