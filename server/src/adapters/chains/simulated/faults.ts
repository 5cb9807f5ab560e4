import { ChainUnavailable, type AccountChainAdapter } from '../port.ts'

type Method = Exclude<keyof AccountChainAdapter, 'network'> | 'coinsAt' | 'scan'

/** Faults of a simulated node. All are off initially; nothing is random. */
export class Faults {
  /** the node does not answer */
  silent = false
  /** the node is so many blocks behind */
  lag = 0
  /** changes an answer before it is returned, for a node with false answers */
  lie: (method: Method, answer: unknown) => unknown = (_method, answer) => answer
  readonly #failing = new Map<Method, ('before' | 'after')[]>()

  /**
   * Makes the next calls of a method fail, each once: before anything happens, or afterwards, so that only the answer
   * is lost.
   */
  failNext(method: Method, ...when: ('before' | 'after')[]): void {
    this.#failing.set(method, [...(this.#failing.get(method) ?? []), ...when])
  }

  /** Runs a method of the adapter under these faults. */
  async pass<T>(method: Method, run: () => T): Promise<T> {
    const failing = this.silent ? 'before' : this.#failing.get(method)?.shift()
    if (failing === 'before') throw new ChainUnavailable(`SIMULATED: ${method}: no answer`)
    const answer = this.lie(method, run()) as T
    if (failing === 'after') throw new ChainUnavailable(`SIMULATED: ${method}: the answer was lost`)
    return answer
  }
}
