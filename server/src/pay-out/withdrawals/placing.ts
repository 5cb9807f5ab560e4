import type { Network } from '@bursar/chainkit'
import { orderErrors } from '@bursar/contract'
import { type AddressFamily, familyOf, holdersOf, isOurs } from '../../chain/addresses/index.ts'
import { checkStops, placeWithin, type NewOrder } from '../../ledger/orders/index.ts'
import type { Item } from '../../ledger/postings/index.ts'
import { type AnswerKey, refusal } from '../../platform/api/route.ts'
import { Batcher } from '../../platform/base/batcher.ts'
import { type NewId, uuidOf } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { type Db, isLost, type PoolSettings, PreparedConnection, type Tx } from '../../platform/db/index.ts'
import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import { checkLargest } from './limits.ts'
import { holdTransfer } from './postings.ts'
import { currentFee, readAmount, readAsset, readDestination, type Rules } from './request.ts'
import { rowOf, withdrawalRows } from './store.ts'
import { readTerms, type Terms } from './terms.ts'
import type { Place, Withdrawal } from './withdrawal.ts'

/** Dependencies of checking a destination. */
export interface PlacingDeps {
  holders: Pick<AddressHolders, 'holderOf'>
  rules: Rules
}

/** Checks a destination; refuses addresses of the platform, and destinations that a stop covers. */
export const readPlace = async (
  { holders, rules }: PlacingDeps,
  { merchantId, to: given }: { merchantId: string; to: string },
  where: Place['where'],
  { stops }: Pick<Terms, 'stops'>,
): Promise<Place> => {
  const {
    asset: { ticker },
    on: { network },
  } = where
  const to = readDestination(given, network, rules)
  checkStops({ merchantId, ticker, network }, stops)
  const holder = await holders.holderOf(network, to)
  if (holder === 'platform')
    throw refusal(orderErrors.destinationRefused, 'Destination refused: this is an address of the service itself', 'to')
  return { where, to, asSent: given, internal: holder === 'merchant' }
}

type Given = Pick<Withdrawal, 'merchantId' | 'intentId' | 'units' | 'fee' | 'localId' | 'meta' | 'notifiedAs'>

export const newWithdrawal = (
  { where, to, asSent, internal }: Place,
  given: Given,
  { at, newId }: Moment,
): Withdrawal => ({
  ...given,
  id: newId(),
  ticker: where.asset.ticker,
  blockchain: where.on.network,
  to,
  toAsSent: asSent === to ? null : asSent,
  state: 'requested',
  failReason: null,
  internal,
  holdId: newId(),
  outgoingId: null,
  doneSent: false,
  createdAt: at,
})

/** Returns the order of a new withdrawal. @param keyId of the API key that signed the request, or null */
export const orderOf = (withdrawal: Withdrawal, { where }: Pick<Place, 'where'>, keyId: string | null): NewOrder => ({
  ...holdItem(withdrawal, keyId),
  operation: 'createCryptoWithdrawal',
  localId: withdrawal.localId,
  scale: where.asset.scale,
})

/** Returns the row of a new withdrawal and the transfer that holds its money, which are stored together. */
export const holdItem = (withdrawal: Withdrawal, keyId: string | null): Pick<Item, 'transfer' | 'rows'> => ({
  transfer: holdTransfer(withdrawal),
  rows: [{ table: withdrawalRows, values: rowOf(withdrawal, keyId) }],
})

/** A withdrawal that Bursar creates for a merchant. Units are ledger units. */
export interface Asked {
  merchantId: string
  ticker: string
  blockchain: string
  to: string
  /** the most that leaves the merchant's balance: the receiver gets this minus the fee */
  spend: bigint
  /** the amount that the receiver gets instead, as a decimal string; the fee is added to it */
  amount?: string
  meta: string | null
  /** under which the merchant finds it, and under which it is placed once */
  localId?: string
  /**
   * names the purpose if it may be paid only once: the signer then refuses a second payment, even if a restored
   * database has forgotten the first
   */
  name?: string
}

/** A withdrawal as it would be placed now. Units are ledger units. */
export interface Priced {
  place: Place
  /** that the receiver gets */
  units: bigint
  fee: bigint
}

/** A request for a withdrawal whose price is asked for. */
type ToPrice = Pick<Asked, 'merchantId' | 'ticker' | 'blockchain' | 'to' | 'spend' | 'amount'>

/**
 * Applies all rules of a merchant's own request for a withdrawal, except for the balance. Every price is computed with
 * the same terms. The function throws an ApiRefusal with the reason.
 * @param now real time, ms: determines the age of fee estimates
 */
export const createPricer = async (
  db: Db | Tx,
  rules: Rules,
  now: number,
): Promise<(asked: ToPrice) => Promise<Priced>> => {
  const terms = await readTerms(db, rules.catalogue, now)
  const holders = {
    holderOf: async (network: Network, address: string) => {
      const ours = await isOurs(db, network, address)
      return ours === null ? 'none' : ours.kind === 'platform' ? 'platform' : 'merchant'
    },
  } as const
  return async (asked) => {
    const where = readAsset(asked, rules, orderErrors.invalidOrder)
    const { asset, on } = where
    const place = await readPlace({ holders, rules }, asked, where, terms)
    const feeOf = (units: bigint): bigint => currentFee(where, units, place.internal, terms, rules.catalogue)
    const units = readAmount(asked.amount ?? rest(asked.spend, feeOf(asked.spend), asset.scale, on.decimals), where)
    checkLargest(place, asked.merchantId, units, terms.days)
    return { place, units, fee: feeOf(units) }
  }
}

/**
 * Creates an ordinary withdrawal in the caller's transaction: holds amount and fee, and applies all rules of a
 * merchant's own request. Throws an ApiRefusal with the reason.
 * @param now real time, ms: determines the age of fee estimates
 */
export const askWithdrawal = async (
  tx: Tx,
  asked: Asked,
  rules: Rules,
  now: number,
  moment: Moment,
): Promise<Withdrawal> => {
  const { place, units, fee } = await (await createPricer(tx, rules, now))(asked)
  const intentId = asked.name === undefined ? moment.newId() : intentIdOf(asked.merchantId, asked.name)
  const given = {
    merchantId: asked.merchantId,
    intentId,
    units,
    fee,
    localId: asked.localId ?? null,
    meta: asked.meta,
    notifiedAs: null,
  }
  const withdrawal = newWithdrawal(place, given, moment)
  await placeWithin(tx, orderOf(withdrawal, place, null))
  return withdrawal
}

/** The receiver's amount: rounded down to the precision of the network. */
const rest = (spend: bigint, fee: bigint, scale: number, decimals: number): string => {
  if (spend <= fee)
    throw refusal(
      orderErrors.amountTooLow,
      `Withdraw amount too low: the fee is ${formatUnits(fee, scale)}, which leaves nothing`,
    )
  const grain = 10n ** BigInt(scale - decimals)
  return formatUnits(mulDiv(spend - fee, 1n, grain, 'down') * grain, scale)
}

/**
 * The names that identify one order among all orders of a merchant, in order of preference: the `localId`, the
 * Idempotency-Key, the signature.
 */
export interface OrderNames {
  localId: string | null
  answerKeys: readonly Pick<AnswerKey, 'key'>[]
}

/**
 * Returns the id by which the signer knows the payment of an order. It is derived from the merchant's request. A
 * repeated order is therefore the same payment to the signer even if this database has forgotten the first one, and the
 * signer refuses to pay it twice.
 */
export const intentOfOrder = (merchantId: string, { localId, answerKeys }: OrderNames, newId: NewId): string => {
  const keyOf = (kind: 'key:' | 'sig:'): string | undefined => answerKeys.find(({ key }) => key.startsWith(kind))?.key
  const name = localId === null ? (keyOf('key:') ?? keyOf('sig:')) : `local:${localId}`
  return name === undefined ? newId() : intentIdOf(merchantId, name)
}

/**
 * Returns the next intent of a payment whose present one can't be used any more. It is derived from the present one, so
 * that every copy of the database derives the same, and the signer refuses to pay it twice.
 */
export const nextIntentOf = ({ merchantId, intentId }: { merchantId: string; intentId: string }): string =>
  intentIdOf(merchantId, `after:${intentId}`)

/**
 * Returns a UUID version 8 (RFC 9562), a function of merchant and name only: the same in every process and after every
 * restore.
 */
export const intentIdOf = (merchantId: string, name: string): string =>
  uuidOf(`bursar intent v1\n${merchantId}\n${name}`)

/** The owner of an address: a merchant, the platform, or no party of this installation. */
export interface AddressHolders {
  holderOf(network: Network, address: string): Promise<'merchant' | 'platform' | 'none'>
  close(): Promise<void>
}

interface AskedAddress {
  family: AddressFamily
  address: string
}

const MOST_IN_BATCH = 256

/** Queries the database; concurrent requests share one query. */
export const createAddressHolders = (settings: PoolSettings): AddressHolders => {
  const connection = new PreparedConnection(settings)
  const find = (batch: readonly AskedAddress[]) => holdersOf(connection.query, batch)
  const batcher = new Batcher<AskedAddress, 'merchant' | 'platform' | 'none'>({
    most: MOST_IN_BATCH,
    run: async (batch) => {
      // A broken connection is noticed when it is used; a read is repeated once.
      const holders = await find(batch).catch((error: unknown) => (isLost(error) ? find(batch) : Promise.reject(error)))
      return batch.map(({ family, address }) => holders.get(`${family}/${address}`) ?? 'none')
    },
  })
  return {
    holderOf: (network, address) => batcher.submit({ family: familyOf(network), address }),
    close: async () => {
      await batcher.close()
      await connection.close()
    },
  }
}
