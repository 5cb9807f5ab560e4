import type { Acquirer } from '../../adapters/acquirers/port.ts'
import { inStep } from '../../platform/traces/tracing.ts'

/**
 * Calls an acquirer, and records the call as a step of its order.
 * @param orderId the payment, payout or refund that the call is about
 * @param ask makes the call. If its answer is a state, the step has the kind of the state
 */
export const inAcquirerCall = <Answer extends object>(
  { name }: Acquirer,
  what: 'create payment' | 'payout' | 'refund',
  orderId: string,
  ask: () => Promise<Answer>,
): Promise<Answer> =>
  inStep(
    { name: `acquirer: ${what}`, kind: 'client', attributes: { 'bursar.account': name } },
    () => [orderId],
    async (notes) => {
      const answer = await ask()
      if ('kind' in answer) notes?.attributes({ 'bursar.result': String(answer.kind) })
      return answer
    },
  )
