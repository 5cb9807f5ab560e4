/** Calls of the signer and of nodes, as steps in the traces of the orders that a transaction pays. */
import type { BroadcastResult } from '../../adapters/chains/port.ts'
import type { SignAnswer, SignRequest } from '../../adapters/signer/port.ts'
import { inStep } from '../../platform/traces/tracing.ts'
import type { SendingDeps } from './sending.ts'
import type { Outgoing } from './transaction.ts'

/** Intents that one span names: a Bitcoin transaction may have 250. */
const MOST_INTENTS = 16

const ordersOf = (deps: SendingDeps, outgoing: Outgoing) => async (): Promise<string[]> =>
  (await deps.ordersOf?.(outgoing)) ?? []

const attributesOf = ({ id, network, purpose }: Outgoing) => ({
  'bursar.network': network,
  'bursar.outgoing': id,
  'bursar.purpose': purpose,
})

/**
 * Sends a request to the signer. The span has the ids of the intents; the signer's own part of the call is a span of
 * the signer, made from the time in its answer.
 */
export const askToSign = (deps: SendingDeps, outgoing: Outgoing, request: SignRequest): Promise<SignAnswer> =>
  inStep(
    { name: 'signer call', kind: 'client', attributes: attributesOf(outgoing) },
    ordersOf(deps, outgoing),
    async (notes) => {
      if (notes === undefined) return deps.signer.sign(request)
      notes.attributes({
        'bursar.intents': request.intents
          .slice(0, MOST_INTENTS)
          .map(({ id }) => id)
          .join(' '),
      })
      const answer = await deps.signer.sign(request, ({ startedAt, ms }) =>
        notes.below({
          name: 'sign',
          kind: 'server',
          program: 'signer',
          startedAt,
          endedAt: startedAt + ms,
          attributes: { 'bursar.network': outgoing.network },
          failed: false,
        }),
      )
      if ('refused' in answer) notes.attributes({ 'bursar.refused': answer.refused })
      return answer
    },
  )

/** Broadcasts a transaction. A node that does not accept it is no failure of the call. */
export const inBroadcast = (
  deps: SendingDeps,
  outgoing: Outgoing,
  broadcast: () => Promise<BroadcastResult>,
): Promise<BroadcastResult> =>
  inStep(
    { name: 'broadcast', kind: 'client', attributes: attributesOf(outgoing) },
    ordersOf(deps, outgoing),
    async (notes) => {
      const result = await broadcast()
      notes?.attributes({ 'bursar.result': result.kind })
      return result
    },
  )
