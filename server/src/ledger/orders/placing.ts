import { generalErrors, orderErrors } from '@bursar/contract'
import {
  apply,
  type Committer,
  type Item,
  type Known,
  type Outcome,
  type Refusal,
  type Settled,
  type StoredAnswer,
} from '../postings/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { type ApiRefusal, type AnswerKey, type ApiAnswer, refusal } from '../../platform/api/route.ts'

/** The transfer that takes an order's money, and the rows to write with it. The transfer's cause is the order. */
export interface NewOrder extends Pick<Item, 'transfer' | 'rows'> {
  /** the operation of the contract, stored with the localId */
  operation: string
  localId: string | null
  /** decimals of the asset that is taken */
  scale: number
  /** true: its request asks for more than this order. Only a refusal answers the request then */
  isPart?: boolean
}

/**
 * Returns the ledger's item of an order: transfer, rows, localId, and the answer for repetitions of its request are
 * written together, or only the answer when the ledger refuses the order.
 */
export const itemOf = (order: NewOrder, answerKeys: readonly AnswerKey[]): Item => {
  const { transfer, rows, localId, operation } = order
  return {
    transfer,
    ...(rows && { rows }),
    ...(localId === null ? {} : { localId: { value: localId, operation } }),
    ...(answerKeys.length > 0 && { answers: { keys: answerKeys, of: (settled) => storedAnswer(settled, order) } }),
  }
}

/** Submits an order and answers `{id}` or the reason of its refusal; a repeated request gets the first answer. */
export const placeOrder = async (
  committer: Pick<Committer, 'submit'>,
  answerKeys: readonly AnswerKey[],
  order: NewOrder,
): Promise<ApiAnswer> => answerOf(await committer.submit(itemOf(order, answerKeys)), order)

/**
 * Places an order in the caller's transaction.
 * @param answerKeys of the request that it answers; none: it is not the whole of a request
 * @throws ApiRefusal or Error, as `requirePlaced`
 */
export const placeWithin = async (tx: Tx, order: NewOrder, answerKeys: readonly AnswerKey[] = []): Promise<void> => {
  const [outcome] = await apply(tx, [itemOf(order, answerKeys)])
  requirePlaced(outcome!, order)
}

/**
 * Requires that the ledger placed an order in an open transaction.
 * @throws ApiRefusal, or an Error when another transaction has answered the request meanwhile: roll back
 */
export const requirePlaced = (outcome: Outcome, { scale }: Pick<NewOrder, 'scale'>): void => {
  if (outcome.kind === 'applied') return
  if (outcome.kind === 'refused') throw refusalOf(outcome, scale)
  if (outcome.kind === 'key-reused') throw keyReused()
  throw new Error('another transaction has answered this request')
}

const storedAnswer = (settled: Settled, order: NewOrder): StoredAnswer | undefined => {
  if (order.isPart === true && settled.kind === 'applied') return undefined
  const { status, body } = settledAnswer(settled, order)
  return { status, body: JSON.stringify(body) }
}

const settledAnswer = (
  settled: Settled,
  { transfer, scale }: Pick<NewOrder, 'transfer' | 'scale'>,
): { status: number; body: unknown } =>
  settled.kind === 'applied' ? { status: 200, body: { id: transfer.cause.id } } : refusedAnswer(settled, scale)

const refusedAnswer = (refused: Refusal, scale: number): { status: number; body: unknown } => {
  const { status, code, message, field } = refusalOf(refused, scale)
  return { status, body: { code, description: message, ...(field === undefined ? {} : { field }) } }
}

/** Returns the refusal of an order by the ledger as the merchant gets it. */
const refusalOf = (refused: Refusal, scale: number): ApiRefusal => {
  switch (refused.guard) {
    case 'local-id-taken':
      return refusal(
        orderErrors.localIdPlaced,
        `${orderErrors.localIdPlaced.meaning}: ${refused.objectId} has it`,
        'localId',
      )
    case 'insufficient': {
      const { available, account } = refused
      return refusal(
        orderErrors.notEnoughBalance,
        `${orderErrors.notEnoughBalance.meaning}: ${formatUnits(available, scale)} ${account.asset} is available`,
      )
    }
    case 'hold-closed':
      throw new Error('a new hold can not be closed')
  }
}

/**
 * Returns the answer to a request after the ledger has judged its order.
 * @throws ApiRefusal when its key was used for another request
 */
export const answerOf = (outcome: Outcome, order: Pick<NewOrder, 'transfer' | 'scale'>): ApiAnswer =>
  outcome.kind === 'applied' || outcome.kind === 'refused' ? settledAnswer(outcome, order) : earlierAnswer(outcome)

/**
 * Returns the answer to a request that was handled before.
 * @throws ApiRefusal when its key was used for another request
 */
export const answerToKnown = (known: Known): ApiAnswer =>
  // The scale is that of amounts, and this refusal states none.
  known.kind === 'refused' ? refusedAnswer(known, 0) : earlierAnswer(known)

const earlierAnswer = (outcome: Extract<Outcome, { kind: 'answered' | 'key-reused' }>): ApiAnswer => {
  if (outcome.kind === 'key-reused') throw keyReused()
  return { status: outcome.answer.status, json: outcome.answer.body }
}

const keyReused = (): ApiRefusal =>
  refusal(generalErrors.conflict, 'this Idempotency-Key came before with another request: use a new key')
