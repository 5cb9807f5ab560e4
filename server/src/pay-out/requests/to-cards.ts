/**
 * Payouts to cards by two people. The number of the card is stored sealed, while its request can be paid; members see
 * it masked. The worker places the payout after the approval, by the rules of a card payout of the API.
 */
import { isUnclear } from '@bursar/checkout/amounts'
import { orderErrors } from '@bursar/contract'
import { sql } from 'kysely'
import {
  checkNoCard,
  currentFee,
  idForRequest,
  newPayout,
  orderOf,
  paidOutCurrencies,
  readCard,
  readCurrency,
  readPartLimits,
  readUnits,
  type CardRules,
} from '../../cards/card-payouts/index.ts'
import { checkStops, placeWithin } from '../../ledger/orders/index.ts'
import { balancesOf } from '../../ledger/postings/index.ts'
import type { StopTerm } from '../../ledger/stops/index.ts'
import type { FiatAsset } from '../../market/assets/index.ts'
import type { Now, Session } from '../../people/access/index.ts'
import { maskCard } from '../../platform/api/card-numbers.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import { resealed, type SecretBox, type SecretRing } from '../../platform/config/secrets.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { makeRequest } from './asking.ts'
import { CARD_NETWORK, type PayoutLine } from './content.ts'
import { isMeta } from './judging.ts'
import { PayoutProblem } from './problem.ts'
import type { PayoutRequest } from './store.ts'

/** A currency of card payouts, with the merchant's balance in it, in ledger units. */
export interface CardOffer {
  asset: FiatAsset
  available: bigint
}

/** The currencies in which cards are paid here, those of which the merchant has something first. */
export const currenciesForCards = async (db: Db, merchantId: string, rules: CardRules): Promise<CardOffer[]> => {
  const assets = paidOutCurrencies(rules)
  const balances = await balancesOf(
    db,
    'merchant',
    assets.map(({ ticker }) => ({ merchantId, asset: ticker })),
  )
  const offers = assets.map((asset, n) => ({ asset, available: balances[n]!.posted - balances[n]!.held }))
  return [...offers.filter(({ available }) => available > 0n), ...offers.filter(({ available }) => available <= 0n)]
}

/** A payout to a card as typed. */
export interface TypedCardPayout {
  ticker: string
  card: string
  amount: string
  meta: string
}

/** A problem of a field. `detail` is a text of the API, in English; it never has the number of the card. */
export interface CardProblem {
  field: 'ticker' | 'card' | 'amount' | 'meta'
  detail?: string
}

/** A payout to a card with its price now. Amounts are ledger units. */
export interface PricedCardPayout {
  asset: FiatAsset
  card: string
  units: bigint
  fee: bigint
  meta: string
}

/** Digits of a typed number; people write it in groups. */
const digitsOf = (card: string): string => card.replaceAll(/[ -]/g, '')
const CARD = /^\d{13,19}$/

/** Judges a payout to a card by all rules of a card payout of the API, except for the balance and stops. */
export const judgeCardPayout = (
  { ticker, card: typed, amount, meta }: TypedCardPayout,
  rules: CardRules,
): { priced: PricedCardPayout } | { problems: CardProblem[] } => {
  const problems: CardProblem[] = []
  const read = <Value>(field: CardProblem['field'], reading: () => Value): Value | undefined => {
    try {
      return reading()
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error
      problems.push({ field, detail: error.message })
      return undefined
    }
  }
  const asset = read('ticker', () => readCurrency(ticker, rules, orderErrors.invalidOrder))
  const digits = digitsOf(typed)
  const card = CARD.test(digits) ? read('card', () => readCard(digits)) : undefined
  if (!CARD.test(digits)) problems.push({ field: 'card' })
  if (isUnclear(amount)) problems.push({ field: 'amount' })
  const units =
    asset &&
    !isUnclear(amount) &&
    read('amount', () => {
      const value = readUnits(amount, asset, orderErrors.invalidOrder)
      readPartLimits('single', value, asset, rules)
      return value
    })
  if (!isMeta(meta)) problems.push({ field: 'meta' })
  else if (card !== undefined) read('meta', () => checkNoCard(meta, 'reference', card))
  if (problems.length > 0 || !asset || card === undefined || typeof units !== 'bigint') return { problems }
  return { priced: { asset, card, units, fee: currentFee(asset, units), meta } }
}

/** The context that a card number is sealed with, so that it can't be moved to another request. */
const sealedFor = ({ merchantId, id }: { merchantId: string; id: string }): string =>
  `payout_cards.sealed_card|${merchantId}|${id}`

/**
 * Stores a request of a payout to a card. The same form makes one request, however often it is sent.
 * @returns the id of the request
 * @throws NotAllowed, ProofNeeded or a PayoutProblem
 */
export const requestCardPayout = async (
  tx: Tx,
  session: Session,
  { merchantId, formKey, priced }: { merchantId: string; formKey: string; priced: PricedCardPayout },
  cards: Pick<SecretBox, 'seal'>,
  now: Now,
): Promise<string> => {
  const { asset, card, units, fee, meta } = priced
  const line: PayoutLine = {
    number: 1,
    ticker: asset.ticker,
    blockchain: CARD_NETWORK,
    to: maskCard(card),
    units,
    feeLimit: 2n * fee,
    meta: meta === '' ? null : meta,
  }
  const given = { merchantId, kind: 'to-card', name: '', formKey, lines: [line] } as const
  const { id, isNew } = await makeRequest(tx, session, given, now)
  if (!isNew) return id
  await sql`insert into payout_cards(request_id, merchant_id, sealed_card)
    values (${id}, ${merchantId}, ${cards.seal(card, sealedFor({ merchantId, id }))})`.execute(tx)
  return id
}

/** Dependencies of the job that places payouts to cards. */
export interface CardPlacingDeps {
  rules: CardRules
  /** with the keys of card numbers */
  cards: SecretBox | SecretRing
  stops(): Promise<readonly StopTerm[]>
}

/**
 * Places an approved payout to a card in the transaction of the job, and erases the number from the request. The id of
 * its one payment is made from the request: a restored database that has forgotten the payout sends the reference that
 * the acquirer knows. A larger amount is not split, because the parts would depend on the limits of the day.
 * Throws an ApiRefusal or a PayoutProblem.
 * @returns the id of the payout
 */
export const placeCardPayout = async (
  tx: Tx,
  { id, merchantId }: Pick<PayoutRequest, 'id' | 'merchantId'>,
  { ticker, to, units, feeLimit, meta }: PayoutLine,
  { rules, cards, stops }: CardPlacingDeps,
  { moment }: Now,
): Promise<string> => {
  const asset = readCurrency(ticker, rules, orderErrors.invalidOrder)
  const limits = readPartLimits('single', units, asset, rules)
  checkStops({ merchantId, ticker, network: null }, await stops())
  const fee = currentFee(asset, units)
  if (fee > feeLimit) throw new PayoutProblem('fee')
  const { rows } = await sql<{ sealed: string }>`delete from payout_cards
    where request_id = ${id} and merchant_id = ${merchantId} returning sealed_card as sealed`.execute(tx)
  // The request expired by the clock of another process just before its approval.
  if (!rows[0]) throw new PayoutProblem('expired')
  const card = readCard(cards.open(rows[0].sealed, sealedFor({ merchantId, id })))
  if (maskCard(card) !== to) throw new PayoutProblem('changed')
  const given = { merchantId, kind: 'single', units, fee, localId: `payout-${id}`, meta, notifiedAs: null } as const
  const payout = newPayout(given, asset, card, moment)
  const of = { card, limits, scale: asset.scale, keyId: null }
  // One payment is not split, so that nothing is random.
  await placeWithin(
    tx,
    orderOf(payout, of, { cards, random: () => 0 }, () => idForRequest(id)),
  )
  return payout.id
}

const MOST_AT_ONCE = 100

/**
 * Erases the numbers of requests that can't be paid any more, and seals the others with the newest key.
 * @param now real time
 */
export const tendCards = async (db: Db, cards: CardPlacingDeps['cards'], now: Date): Promise<void> => {
  await sql`delete from payout_cards c using payout_requests r where r.id = c.request_id
    and (r.state not in ('waiting', 'placing') or (r.state = 'waiting' and r.expires_at <= ${now}))`.execute(db)
  if (!('newest' in cards)) return
  // In order of their ids, so that numbers whose key is missing do not take the place of others.
  let last: string | undefined
  do last = await sealAnew(db, cards, last)
  while (last !== undefined)
}

/**
 * Seals a page of card numbers with the newest key.
 * @param after the id of the last request of the page before
 * @returns that of this page; undefined: it was the last page
 */
const sealAnew = async (db: Db, cards: SecretRing, after: string | undefined): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string; merchantId: string; sealed: string }>`select request_id as id,
      merchant_id as "merchantId", sealed_card as sealed
    from payout_cards where substring(sealed_card for 12) <> ${cards.newest}
      and (${after ?? null}::uuid is null or request_id > ${after ?? null}::uuid)
    order by request_id limit ${MOST_AT_ONCE}`.execute(db)
  for (const { id, merchantId, sealed } of rows) {
    const anew = resealed(cards, sealed, sealedFor({ merchantId, id }))
    // `bursar doctor` reports a number whose key is missing.
    if (anew === undefined) continue
    await sql`update payout_cards set sealed_card = ${anew}
      where request_id = ${id} and sealed_card = ${sealed}`.execute(db)
  }
  return rows.length < MOST_AT_ONCE ? undefined : rows.at(-1)!.id
}

/** Counts the sealed card numbers of requests by the prefix of their key's values. */
export const countCardsOfRequests = async (db: Db): Promise<{ prefix: string; count: number }[]> => {
  const { rows } = await sql<{ prefix: string; count: number }>`select substring(sealed_card for 12) as prefix,
      count(*) as count from payout_cards group by 1 order by 1`.execute(db)
  return rows
}
