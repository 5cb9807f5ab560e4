/** The orders of a chaos run, as the merchants know them: the platform's tables are not read. */
import type { Bursar } from '@bursar/sdk'
import type { Description } from '../try/running.ts'

export const ORDER_KINDS = [
  'deposit',
  'withdrawal',
  'crypto invoice',
  'card invoice',
  'exchange',
  'exchange and withdrawal',
  'card payout',
] as const

export type OrderKind = (typeof ORDER_KINDS)[number]

export interface ChaosMerchant {
  readonly name: string
  readonly id: string
  readonly privateKey: string
  readonly notificationsUrl: string
  readonly client: Bursar
  /** Capital that it was given, as decimal text by ticker. */
  readonly granted: Record<string, string>
}

export interface Order {
  readonly kind: OrderKind
  readonly merchant: ChaosMerchant
  /** The merchant's own name of it; the `localId` where the operation has one. */
  readonly name: string
  /**
   * `asked`: the call goes on. `accepted`: answered with an id, or found by its localId. `unanswered`: the merchant
   * gave up after a call without an answer. `refused`, `not placed`: it does not exist.
   */
  state: 'asked' | 'accepted' | 'unanswered' | 'refused' | 'not placed'
  /** By the answer or the lookup. A deposit has none: it is known by its hash. */
  id?: string
  /** Why it was refused. */
  reason?: string
  /** The transaction with which a payer paid a deposit. */
  hash?: string
  readonly blockchain?: string
  readonly ticker?: string
  /** Decimal text: the amount that the payer sends or the receiver gets. Absent where the platform computes it. */
  readonly amount?: string
  /** An address outside that receives nothing else. */
  readonly to?: string
  /** The mask of a card that receives nothing else, as the bank writes it. */
  readonly card?: string
}

/** Orders that a client looks up by localId if their answer is lost. */
export const hasLocalId = ({ kind }: Order): boolean =>
  kind !== 'deposit' && kind !== 'crypto invoice' && kind !== 'card invoice'

export interface ChaosOptions {
  /** How long roles are killed; without limit if `kills` is given. */
  readonly minutes: number | undefined
  /** After how many kills it ends. */
  readonly kills: number | undefined
  /** Of the choices: the orders, the kills and their times. The machine decides the order of all other events. */
  readonly seed: string
}

export interface Chaos {
  readonly sandbox: Description
  readonly merchants: readonly ChaosMerchant[]
  readonly orders: Order[]
  /** Ids of the bank's payouts before the run: a run with the same seed in this sandbox paid to the same cards. */
  readonly paidBefore: ReadonlySet<string>
  readonly tally: {
    /** By role. */
    readonly kills: Record<string, number>
    pauses: number
    /** Calls that got no answer, or one that was not the API's. */
    noAnswer: number
  }
  /** @throws SandboxError once the sandbox was stopped */
  requireRunning(): void
}

export const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
