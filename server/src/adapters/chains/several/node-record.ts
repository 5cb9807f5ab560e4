/** How a node of several is doing, as its last answers show. */
type NodeCondition = 'good' | 'failing' | 'behind' | 'ahead' | 'another-chain' | 'contradicts'

/** A node of several, for the operator. */
export interface NodeStatus {
  /** host and port, without credentials */
  node: string
  status: NodeCondition
  /** one sentence, or empty while the status is good */
  detail: string
}

/** Failures in a row after which a node is left out. */
const MOST_FAILURES = 3
/** A node that contradicted the others is left out for this time after its last contradiction. */
const CONTRADICTS_MS = 10 * 60_000
/** A failing node is tried again after this time. */
const TRIED_AGAIN_MS = 15_000

/** Remembers what the answers of one node show. Times are monotonic ms. */
export class NodeRecord {
  readonly #mostBehind: number
  #failures = 0
  #failure = ''
  #failedAt = -Infinity
  #contradictedAt = -Infinity
  #contradiction = ''
  #otherChain: string | undefined
  /** blocks of its head above the head of a quorum; negative if it is below */
  #distance = 0

  /** @param mostBehind blocks that the node's head may differ from the head that a quorum has */
  constructor(mostBehind: number) {
    this.#mostBehind = mostBehind
  }

  answered(): void {
    this.#failures = 0
  }

  failed(reason: string, now: number): void {
    this.#failures += 1
    this.#failure = reason
    this.#failedAt = now
  }

  /** The node's answer about a final block or about the content of a block differs from that of the quorum. */
  contradicted(what: string, now: number): void {
    this.#contradiction = what
    this.#contradictedAt = now
  }

  /** @param identity of the other chain; undefined if it is the right one */
  isOfChain(identity: string | undefined): void {
    this.#otherChain = identity
  }

  /** @param blocks of its head above the head that a quorum has; negative if it is below */
  isAway(blocks: number): void {
    this.#distance = blocks
  }

  status(now: number): Omit<NodeStatus, 'node'> {
    if (this.#otherChain !== undefined)
      return { status: 'another-chain', detail: `it is a node of chain ${this.#otherChain}` }
    if (now - this.#contradictedAt < CONTRADICTS_MS) return { status: 'contradicts', detail: this.#contradiction }
    if (this.#failures >= MOST_FAILURES) return { status: 'failing', detail: this.#failure }
    if (this.#distance < -this.#mostBehind)
      return { status: 'behind', detail: `it is ${-this.#distance} blocks behind` }
    if (this.#distance > this.#mostBehind)
      return { status: 'ahead', detail: `it names a block ${this.#distance} above that of the others` }
    return { status: 'good', detail: '' }
  }

  /** Whether questions to all nodes leave this one out: it failed lately, and not for the first time. */
  isLeftAlone(now: number): boolean {
    return this.#failures >= MOST_FAILURES && now - this.#failedAt < TRIED_AGAIN_MS
  }

  /** Whether a question that one node can answer is put to this node before the others. */
  isPreferred(now: number): boolean {
    const isResting = this.#failures > 0 && now - this.#failedAt < TRIED_AGAIN_MS
    return this.status(now).status === 'good' && !isResting
  }
}
