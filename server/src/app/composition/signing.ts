import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { Intent, Signer } from '../../adapters/signer/port.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { transferOf } from '../../treasury/cold/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { rescale } from '../../platform/money/index.ts'
import type { Outgoing, Purpose, SigningPurpose } from '../../chain/transactions/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { tronPurposeOf } from '../../treasury/sweeps/index.ts'
import {
  approvalsOf,
  carriedBy,
  holdBack,
  nextIntentOf,
  storeSignerLimits,
  type SignerLimit,
  type Withdrawal,
} from '../../pay-out/withdrawals/index.ts'

interface AssetLimits {
  maxPerIntent?: string
  maxPerHour?: string
  maxPerDay?: string
  cold?: string
}

const FOR_SWEEPS: readonly Purpose[] = ['sweep', 'gas', 'resources']
const LIMITS_CACHED_MS = 10_000

/** Connects withdrawals to the signer: the payments of a transaction, and the withdrawals that wait for approvals. */
export const createSigning = (runtime: Runtime, catalogue: Catalogue, signer: Signer) => {
  const { db } = runtime
  const limits = cacheFor(LIMITS_CACHED_MS, runtime.clock.now, () => readLimits(signer))
  return {
    /** Returns a transaction's purpose; for a payout, its payments in chain units with their approvals. */
    purposeOf: async (outgoing: Outgoing): Promise<SigningPurpose> => {
      if (outgoing.purpose === 'filler') return { purpose: 'filler', intents: [] }
      if (outgoing.purpose === 'consolidation') return { purpose: 'consolidation', intents: [] }
      if (outgoing.purpose === 'rebalance') return { purpose: 'rebalance', intents: [] }
      if (isEvmNetwork(outgoing.network) && (outgoing.purpose === 'sweep' || outgoing.purpose === 'gas'))
        return { purpose: 'sweep', intents: [] }
      if (outgoing.purpose === 'cold') return { purpose: 'cold', intents: [await coldIntent(db, catalogue, outgoing)] }
      if (outgoing.network === 'TRON' && FOR_SWEEPS.includes(outgoing.purpose)) return tronPurposeOf(db, outgoing)
      if (outgoing.purpose !== 'payout') throw new Error(`there is no signing purpose for a ${outgoing.purpose}`)
      const withdrawals = await carriedBy(db, outgoing.id)
      const approvals = await approvalsOf(db, withdrawals)
      return {
        purpose: 'payout',
        intents: withdrawals.map((withdrawal) => intentOf(catalogue, withdrawal)),
        ...(approvals.length > 0 && { approvals }),
      }
    },

    /** Returns the withdrawals that a transaction pays, for their traces. */
    ordersOf: async ({ id, purpose }: Outgoing): Promise<string[]> =>
      purpose === 'payout' ? (await carriedBy(db, id)).map((withdrawal) => withdrawal.id) : [],

    /** Returns the intents under which a transaction's payments would be made if it had been abandoned. */
    nextIntentsOf: async ({ id, purpose }: Outgoing): Promise<string[]> =>
      purpose === 'payout' ? (await carriedBy(db, id)).map(nextIntentOf) : [],

    /** Returns the cold address of an asset on a network, from the signer's own policy. */
    coldAddress: async (network: string, ticker: string): Promise<string | undefined> =>
      (await limits()).get(`${network}/${ticker}`)?.cold,

    /**
     * Returns the withdrawals of one network that the signer would sign now. The signer is asked about those without
     * approvals, too: it lists them for its approvers, and it alone knows the approvals that they gave on its own page.
     */
    approved: (withdrawals: readonly Withdrawal[]): Promise<Withdrawal[]> =>
      checked(runtime, catalogue, signer, withdrawals),
  }
}

const LIMITS_EVERY_MS = 60_000

/**
 * Creates the job that stores the signer's limits per payment, hour and day. Merchants' own limits are percentages of
 * them.
 */
export const createSignerLimitsJob = (
  { db, clock }: Runtime,
  catalogue: Catalogue,
  signer: Pick<Signer, 'status'>,
): Job => ({
  name: "the signer's limits",
  everyMs: LIMITS_EVERY_MS,
  run: async () => {
    const limits = [...(await readLimits(signer))].flatMap(
      ([key, { maxPerIntent, maxPerHour, maxPerDay }]): SignerLimit[] => {
        const [network = '', ticker = ''] = key.split('/')
        const asset = catalogue.findCrypto(ticker)
        const on = asset?.networks.get(network as Network)
        if (!asset || !on || maxPerIntent === undefined || maxPerHour === undefined || maxPerDay === undefined)
          return []
        const ledgerUnits = (units: string): bigint => rescale(BigInt(units), on.decimals, asset.scale)
        return [
          {
            network,
            asset: ticker,
            perPayment: ledgerUnits(maxPerIntent),
            perHour: ledgerUnits(maxPerHour),
            perDay: ledgerUnits(maxPerDay),
          },
        ]
      },
    )
    await storeSignerLimits(db, limits, new Date(clock.now()))
    return false
  },
})

/**
 * How many withdrawals the signer is asked about at once: each may need a few approvals, and a request has at most 250.
 */
const CHECKED_AT_ONCE = 25

/**
 * Returns the waiting withdrawals of one network that the signer would sign now. The others are postponed or barred, so
 * that no nonce or coins are reserved for a payment that would be refused.
 */
const checked = async (
  runtime: Runtime,
  catalogue: Catalogue,
  signer: Signer,
  waiting: readonly Withdrawal[],
): Promise<Withdrawal[]> => {
  const all: Withdrawal[] = []
  for (let from = 0; from < waiting.length; from += CHECKED_AT_ONCE) {
    const some = waiting.slice(from, from + CHECKED_AT_ONCE)
    const network = some[0]!.blockchain
    const approvals = await approvalsOf(runtime.db, some)
    const refusals = new Map(
      (await signer.check({ network, intents: some.map((one) => intentOf(catalogue, one)), approvals })).map((one) => [
        one.id,
        one,
      ]),
    )
    const passing = some.filter(({ intentId }) => !refusals.has(intentId))
    const refused = some.flatMap((withdrawal) => {
      const refusal = refusals.get(withdrawal.intentId)
      return refusal ? [{ withdrawal, refusal: { refused: refusal.refused, message: refusal.message } }] : []
    })
    await holdBack(runtime, network, { refused, passing })
    all.push(...passing)
  }
  return all
}

/** Makes the payment to request from the signer. */
export const intentOf = (catalogue: Catalogue, withdrawal: Withdrawal): Intent => ({
  id: withdrawal.intentId,
  asset: withdrawal.ticker,
  to: withdrawal.to,
  units: chainUnits(catalogue, withdrawal).toString(),
})

/**
 * Makes the intent of a replacement. It pays the same to the same address as the transaction that the operator signed,
 * which the signer knows.
 */
const coldIntent = async (
  db: Db,
  catalogue: Catalogue,
  { id, network }: Outgoing,
): Promise<SigningPurpose['intents'][number]> => {
  const transfer = await transferOf(db, id)
  if (!transfer) throw new Error(`${id} is no transfer to cold storage`)
  const asset = catalogue.findCrypto(transfer.asset)!
  const units = rescale(transfer.units, asset.scale, asset.networks.get(network)!.decimals)
  return { id, asset: transfer.asset, to: transfer.to, units: units.toString() }
}

const chainUnits = (catalogue: Catalogue, { ticker, blockchain, units }: Withdrawal): bigint => {
  const asset = catalogue.findCrypto(ticker)!
  return rescale(units, asset.scale, asset.networks.get(blockchain)!.decimals)
}

const readLimits = async (signer: Pick<Signer, 'status'>): Promise<ReadonlyMap<string, AssetLimits>> => {
  const { policy } = await signer.status()
  const networks = policy.networks as Record<string, { assets?: Record<string, AssetLimits> }>
  return new Map(
    Object.entries(networks).flatMap(([network, { assets }]) =>
      Object.entries(assets ?? {}).map(([ticker, limit]): [string, AssetLimits] => [`${network}/${ticker}`, limit]),
    ),
  )
}
