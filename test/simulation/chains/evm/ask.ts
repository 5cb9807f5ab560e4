import type { OpenedEdr } from '../../../../sandbox/edr/index.ts'
import type { NodeCall, Said } from '../dialect.ts'

/** Calls of a node in this process. */
export const askEdr =
  (answer: OpenedEdr['answer']) =>
  async ({ method, params }: NodeCall): Promise<Said> => {
    const { result, error } = (await answer({ jsonrpc: '2.0', id: 1, method, params })) as {
      result?: unknown
      error?: { code: number; message: string }
    }
    return error === undefined ? { result } : { error }
  }
