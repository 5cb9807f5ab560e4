import { randomInt } from 'node:crypto'
import type { RoutingTable } from '../../cards/acquiring/index.ts'
import type { Acquirer } from '../../adapters/acquirers/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { provedPayments } from '../../treasury/auditing/index.ts'
import {
  cardPayoutRoutes,
  createAskingJob,
  createResealingJob,
  createSendingJob,
  type CardPayoutDeps,
  type CardRules,
} from '../../cards/card-payouts/index.ts'
import { fiatExchangeWithdrawalRoutes } from '../../exchange/exchange-withdrawals/index.ts'
import type { TradingDeps } from '../../exchange/exchanges/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { OrderPolicy } from '../../ledger/orders/index.ts'
import type { Committer } from '../../ledger/postings/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import type { CardPlacingDeps } from '../../pay-out/requests/index.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import type { Route } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createSecretRing, type SecretBox, type SecretRing } from '../../platform/config/secrets.ts'

export interface CardWorld {
  runtime: Runtime
  catalogue: Catalogue
  acquirers: { byName: ReadonlyMap<string, Acquirer>; table: RoutingTable }
  /** keys of card numbers, newest first; null when nothing is paid to cards */
  cardKeys: readonly Uint8Array[] | null
}

const MINOR_UNITS = 2

const payingOut = ({ acquirers: { byName } }: Pick<CardWorld, 'acquirers'>): Acquirer[] =>
  [...byName.values()].filter(({ capabilities }) => Object.keys(capabilities.payout).length > 0)

/** Throws an Error that names a missing setting when payouts to cards are configured. */
const ringOf = (world: CardWorld): SecretRing | null => {
  const accounts = payingOut(world)
  const odd = world.catalogue.fiat.find(
    ({ ticker, scale }) => scale !== MINOR_UNITS && accounts.some(({ capabilities }) => ticker in capabilities.payout),
  )
  if (odd) throw new Error(`acquirers count ${odd.ticker} in hundredths: its scale is ${MINOR_UNITS}, not ${odd.scale}`)
  if (world.cardKeys !== null) return createSecretRing(world.cardKeys)
  if (accounts.length === 0) return null
  throw new Error(
    `BURSAR_CARD_KEY_FILE is missing: ${accounts.map(({ name }) => name).join(', ')} pays out to cards, and their numbers are kept sealed`,
  )
}

/** Used where nothing is paid out, so no card number reaches it. */
const NOTHING_TO_SEAL = {
  seal: (): string => {
    throw new Error('there is no key to seal the number of a card with')
  },
  open: (): string => {
    throw new Error('there is no key to open the number of a card with')
  },
}

/** Composes the api's routes of card payouts, alone and after an exchange. */
export const createCardApi = (
  world: CardWorld,
  committer: Committer,
  trading: TradingDeps,
  orderPolicy: OrderPolicy,
): Route[] => {
  const { runtime, catalogue, acquirers } = world
  const cards = {
    rules: { catalogue, routing: acquirers.table },
    cards: ringOf(world) ?? NOTHING_TO_SEAL,
    random: (below: number) => randomInt(below),
  }
  return [
    ...cardPayoutRoutes({ runtime, committer, orderPolicy, ...cards }),
    ...fiatExchangeWithdrawalRoutes({ trading, cards, orderPolicy }),
  ]
}

/** Payouts to cards that members ask for: the keys of the numbers, and the rules. */
export const cardsOf = (world: CardWorld): { rules: CardRules; box: SecretBox | SecretRing } => ({
  rules: { catalogue: world.catalogue, routing: world.acquirers.table },
  box: ringOf(world) ?? NOTHING_TO_SEAL,
})

/** For the job that places payouts to cards which members have approved. */
export const cardPlacing = (world: CardWorld): CardPlacingDeps => {
  const { rules, box: cards } = cardsOf(world)
  const { db, clock } = world.runtime
  return { rules, cards, stops: createStopsReader(db, clock.now) }
}

const SEND_EVERY_MS = 300
const ASK_EVERY_MS = 500
const RESEAL_EVERY_MS = 60_000

/**
 * Composes a worker's jobs for card payouts. Orders of an account that no longer pays out are still queried.
 * @param callbackUrl our URL for callbacks of an account's acquirer
 */
export const createCardJobs = (
  world: CardWorld,
  callbackUrl: CardPayoutDeps['callbackUrl'],
  pause: PausePoint,
): Job[] => {
  const { runtime, catalogue, acquirers } = world
  const cards = ringOf(world)
  const deps: CardPayoutDeps = {
    runtime,
    catalogue,
    acquirers: acquirers.byName,
    routing: acquirers.table,
    cards: cards ?? NOTHING_TO_SEAL,
    callbackUrl,
    pause,
    proved: async (part) => (await provedPayments(runtime, 'card-payout-part', [part])).length === 1,
  }
  return [
    ...[...acquirers.byName.values()].map((acquirer) => createAskingJob(deps, acquirer, ASK_EVERY_MS)),
    ...(cards === null
      ? []
      : [createSendingJob(deps, SEND_EVERY_MS), createResealingJob({ runtime, cards }, RESEAL_EVERY_MS)]),
  ]
}
