/** The chain's state: values by key, in layers that can be reverted. Values are never changed in place. */

/** A value by its key; undefined when there is none. */
export type Reader = (key: string) => unknown

/** A change of a layer. undefined: the value was removed. */
export type Changes = ReadonlyMap<string, unknown>

export interface State {
  get(key: string): unknown
  /** undefined removes. */
  set(key: string, value: unknown): void
  /** Opens a layer. Each is ended by commit or revert. */
  checkpoint(): void
  /** The newest layer becomes part of the one below. */
  commit(): void
  /** The newest layer is forgotten. */
  revert(): void
  /** How many layers are open. */
  depth(): number
  /** Everything changed since the state was made. Only without open layers. */
  changes(): Changes
}

export const layeredState = (below: Reader): State => {
  const layers: Map<string, unknown>[] = [new Map()]
  const top = (): Map<string, unknown> => layers.at(-1) as Map<string, unknown>
  const pop = (): Map<string, unknown> => {
    if (layers.length === 1) throw new Error('no layer of the state is open')
    return layers.pop() as Map<string, unknown>
  }
  return {
    get: (key) => {
      for (let at = layers.length - 1; at >= 0; at--) {
        const layer = layers[at] as Map<string, unknown>
        const value = layer.get(key)
        if (value !== undefined || layer.has(key)) return value
      }
      return below(key)
    },
    set: (key, value) => void top().set(key, value),
    checkpoint: () => void layers.push(new Map()),
    commit: () => {
      for (const [key, value] of pop()) top().set(key, value)
    },
    revert: () => void pop(),
    depth: () => layers.length - 1,
    changes: () => {
      if (layers.length > 1) throw new Error('a layer of the state is still open')
      return top()
    },
  }
}
