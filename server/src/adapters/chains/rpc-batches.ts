import { BatchRefused, isCutOff, type RpcAnswer } from './rpc-answer.ts'

/** After so many batches in a row that were answered, a larger one is tried: a refusal may have had another reason. */
const BATCHES_BEFORE_GROWTH = 100

/**
 * Asks many questions in batches that the node takes, one after the other. Nodes take between 3 questions (hosted, free
 * of charge) and 1000, and none says beforehand how many: a batch that is refused is halved, and the size that was
 * answered stays.
 * @param most questions in a batch
 * @param ask one batch; answers to the first of its questions only, when the others were asked too fast; throws
 *   `BatchRefused` when the node refuses it as a whole
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

  /** Answers to the first of these, in their order: none when the batch was too large. */
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
