import type { Acquirer } from '../../adapters/acquirers/port.ts'
import type { RoutingTable } from '../acquiring/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import { uuidOf } from '../../platform/base/id.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { SecretBox } from '../../platform/config/secrets.ts'
import type { Part, Payout } from './payout.ts'

/** Dependencies of the jobs of this module. */
export interface CardPayoutDeps {
  runtime: Runtime
  catalogue: Catalogue
  /** by the account's name */
  acquirers: ReadonlyMap<string, Acquirer>
  routing: RoutingTable
  /** with the key of card numbers */
  cards: SecretBox
  /** our URL for callbacks of an account's acquirer */
  callbackUrl(account: string): string
  /** whether the accounts that a part is paid from are proved by the audit; absent: not checked */
  proved?(part: Pick<Part, 'id' | 'merchantId' | 'ticker'>): Promise<boolean>
  pause: PausePoint
}

/** The context that a card number is sealed with, so that it can't be moved to another row or column. */
export const cardOf = ({ merchantId, id }: Pick<Payout, 'merchantId' | 'id'>): string =>
  `card_payouts.sealed_card|${merchantId}|${id}`

/**
 * The reference of a part's nth order at an acquirer. It is derived from the part, so that a database restored from an
 * older copy, which does not contain the order, sends it again under the reference that the acquirer already knows.
 * @param attempt from 1
 */
export const referenceOf = (partId: string, attempt: number): string => uuidOf(`card payout ${partId} ${attempt}`)

const FIRST_ASK_MS = 2_000
const LONGEST_ASK_MS = 10 * 60_000
const LONGEST_WAIT_MS = 60_000

/**
 * Pause before an acquirer is queried again, by the number of queries: 2 s, 4 s, up to 10 minutes. Queries never stop.
 */
export const askPauseMs = (asks: number): number => Math.min(FIRST_ASK_MS * 2 ** Math.min(asks, 20), LONGEST_ASK_MS)

/** Pause before a part that reached no acquirer is sent again, by the number of attempts: 1 s, 2 s, up to a minute. */
export const sendPauseMs = (attempts: number): number =>
  Math.min(1_000 * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT_MS)
