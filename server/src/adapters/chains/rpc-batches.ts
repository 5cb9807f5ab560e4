import { BatchRefused, isCutOff, type RpcAnswer } from './rpc-answer.ts'

/** Consecutive successful batches after which a larger one is tried, since a rejection may have had another reason. */
const BATCHES_BEFORE_GROWTH = 100

/**
 * Sends many requests in sequential batches of a size that the node accepts. Nodes accept between 3 requests (hosted,
 * free of charge) and 1000, and do not announce their limit. A rejected batch is halved, and a size that succeeded is
 * remembered.
 * @param most maximum requests per batch
 * @param ask sends one batch. Returns answers to its first requests only, when the rate limit rejected the others;
 *   throws `BatchRefused` when the node rejects it as a whole
 */
export const createBatches = <Call>(
  most: number,
  ask: (calls: readonly Call[]) => Promise<RpcAnswer[]>,
): ((calls: readonly Call[]) => Promise<RpcAnswer[]>) => {
  let size = most
  let answered = 0
  const shrink = (to: number): void => {
    size = Math.max(1, Math.min(size, to))
    answered = 0
  }

  /** Returns answers to the first requests, in order; none when the batch was too large. */
  const askSome = async (batch: readonly Call[]): Promise<RpcAnswer[]> => {
    try {
      const answers = await ask(batch)
      const cut = answers.findIndex(isCutOff)
      const whole = cut === -1 ? answers.length : cut
      if (whole === batch.length || batch.length === 1) {
        answered += 1
        if (answered % BATCHES_BEFORE_GROWTH === 0) size = Math.min(most, size * 2)
        return answers
      }
      shrink(whole === 0 ? Math.ceil(batch.length / 2) : whole)
      return answers.slice(0, whole)
    } catch (error) {
      if (!(error instanceof BatchRefused) || batch.length === 1) throw error
      shrink(Math.ceil(batch.length / 2))
      return []
    }
  }

  return async (calls) => {
    const answers: RpcAnswer[] = []
    while (answers.length < calls.length)
      answers.push(...(await askSome(calls.slice(answers.length, answers.length + size))))
    return answers
  }
}
