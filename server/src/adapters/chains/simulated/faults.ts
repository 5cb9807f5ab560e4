import { ChainUnavailable, type AccountChainAdapter } from '../port.ts'

type Method = Exclude<keyof AccountChainAdapter, 'network'> | 'coinsAt' | 'scan'

/** How a simulated node misbehaves. Everything is off at first; nothing is left to chance. */
export class Faults {
  /** the node answers nothing */
  silent = false
  /** the node is so many blocks behind */
  lag = 0
  /** changes an answer before it is given: a node that lies */
  lie: (method: Method, answer: unknown) => unknown = (_method, answer) => answer
  readonly #failing = new Map<Method, ('before' | 'after')[]>()

  /** The next calls of a method fail, each once: before anything happens, or after, so that only the answer is lost. */
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
