import type { Signer as SignerPort, SignerLog } from '../../server/src/adapters/signer/port.ts'
import { Refusal } from '../../signer/src/protocol/refusal.ts'
import type { Signer } from '../../signer/src/server/signer.ts'

/** The real signer's judgement and memory in this process, without its socket. */
export const withoutSocket = (signer: Signer): SignerPort & SignerLog => ({
  sign: async (request) => {
    try {
      return await signer.sign(request as Parameters<Signer['sign']>[0])
    } catch (error) {
      if (error instanceof Refusal)
        return { refused: error.code, message: error.message, ...(error.intents && { intents: [...error.intents] }) }
      throw error
    }
  },
  transactionsOf: (intentId) => signer.transactionsOf(intentId),
  closeIntent: (intentId) => signer.closeIntent(intentId),
  check: (request) => signer.check(request),
  status: async () => signer.status(),
  logLines: (from) => signer.logLines(from),
  waiting: async () => signer.approvals.list(),
})

/** A signer that has never signed for any payment, and closes every intent that it is asked to close. */
export const nothingSigned: Pick<SignerPort, 'closeIntent'> = { closeIntent: async () => [] }
