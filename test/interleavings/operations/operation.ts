/** Operations that move money, as one process of the program makes them: with connections of its own. */
import type { Runtime } from '../../../server/src/platform/runtime/runtime.ts'
import type { PoolSettings } from '../../../server/src/platform/db/index.ts'
import type { AddressHolders } from '../../../server/src/pay-out/withdrawals/index.ts'
import type { Answer } from '../../world/requests.ts'
import type { Scene } from '../scene.ts'

/** One of the two processes. */
export interface Process {
  readonly runtime: Runtime
  /** for the connections that modules open themselves */
  readonly settings: PoolSettings
  readonly holders: AddressHolders
}

/** The rows on which two operations can meet: a balance of the merchant, or objects of one kind. */
export type Subject =
  | 'USDT'
  | 'UAH'
  | 'position'
  | 'stops'
  | 'fees'
  | 'blocks'
  | 'payouts'
  | 'internal'
  | 'crypto invoices'
  | 'card payouts'
  | 'card payments'
  | 'screenings'
  | 'sweeps'
  | 'cold storage'

export interface Operation {
  readonly name: string
  /** subjects that it changes, and others on which its decision depends */
  readonly changes: readonly Subject[]
  readonly reads?: readonly Subject[]
  /** a stop of the merchant is in force before */
  readonly isStopped?: boolean
  /** decisions of counterparties before it runs */
  prepare?(scene: Scene): void
  /**
   * Works on all due rows, so that it may find none while the other operation holds them: then it is run once more
   * at the end.
   */
  readonly isJob?: boolean
  /** Its result or error is a part of the outcome, and so is a repetition after a lost race. */
  run(process: Process, scene: Scene): Promise<unknown>
}

/** The localId of orders that the merchant places once: a second order with it is refused. */
export const LOCAL_ID = 'order-1'

/** A merchant's answer as it is compared. */
export const shown = ({ status, body }: Answer): string =>
  status === 200 ? 'done' : refused(body.code ?? status, body.description ?? '')

/**
 * A refusal as it is compared: without ids, and without the asset of a stop. An order that takes two assets reads the
 * stops of each at a moment of its own, and names the one that it found stopped.
 */
export const refused = (code: number, description: string): string =>
  `refused: ${code} ${description.replace(ID, 'id').replace(STOPPED, 'withdrawals are stopped')}`

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g
const STOPPED = /withdrawals of [A-Z]+ are stopped/
