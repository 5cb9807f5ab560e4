import { generalErrors, orderErrors } from '@bursar/contract'
import type { Committer, Item, Outcome, Refusal, Settled } from '../postings/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { ApiRefusal, type ApiAnswer, type ApiRequest } from '../../platform/api/route.ts'
import { refusal } from './request.ts'

/** A hold and the rows to write with it: all or nothing. */
export interface NewOrder {
  id: string
  /** the operation of the contract, stored with the localId */
  operation: string
  localId: string | null
  item: Pick<Item, 'transfer' | 'rows'>
  /** decimals of the asset that is held */
  scale: number
}

/** Submits an order and answers `{id}` or the reason of its refusal; a repeated request gets the first answer. */
export const placeOrder = async (
  committer: Pick<Committer, 'submit'>,
  { answerKeys }: Pick<ApiRequest, 'answerKeys'>,
  order: NewOrder,
): Promise<ApiAnswer> => {
  const { item, localId, operation } = order
  const answers = answersOf(answerKeys, order)
  const outcome = await committer.submit({
    ...item,
    ...(localId === null ? {} : { localId: { value: localId, operation } }),
    ...(answers && { answers }),
  })
  return answerOf(outcome, order)
}

/** The answers that are stored with an order for a repeated request. */
export const answersOf = (
  keys: ApiRequest['answerKeys'],
  order: Pick<NewOrder, 'id' | 'scale'>,
): Item['answers'] | undefined =>
  keys.length === 0 ? undefined : { keys, of: (settled: Settled) => storedAnswer(settled, order) }

const storedAnswer = (settled: Settled, order: Pick<NewOrder, 'id' | 'scale'>): { status: number; body: string } => {
  const answer = settledAnswer(settled, order)
  return { status: answer.status, body: JSON.stringify(answer.body) }
}

const settledAnswer = (
  settled: Settled,
  { id, scale }: Pick<NewOrder, 'id' | 'scale'>,
): { status: number; body: unknown } => {
  if (settled.kind === 'applied') return { status: 200, body: { id } }
  const { status, code, message, field } = refusalOf(settled, scale)
  return { status, body: { code, description: message, ...(field === undefined ? {} : { field }) } }
}

/**
 * Returns the refusal of an order by the ledger as the merchant gets it.
 * @param scale decimals of the asset to be taken
 */
export const refusalOf = (refused: Refusal, scale: number): ApiRefusal => {
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
export const answerOf = (outcome: Outcome, order: Pick<NewOrder, 'id' | 'scale'>): ApiAnswer => {
  switch (outcome.kind) {
    case 'answered':
      return { status: outcome.answer.status, json: outcome.answer.body }
    case 'key-reused': {
      const { status, code } = generalErrors.conflict
      throw new ApiRefusal(status, code, 'this Idempotency-Key came before with another request: use a new key')
    }
    default:
      return settledAnswer(outcome, order)
  }
}
