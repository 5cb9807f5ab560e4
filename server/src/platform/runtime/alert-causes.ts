import type { AlertKind } from './alert-kinds.ts'

/** A kind of alert that another kind explains, while that one is open. */
interface Explained {
  kind: AlertKind
  cause: AlertKind
  /**
   * `network`: both are about one network. The first word of the cause's subject is its network, and is a word of the
   * other's subject
   */
  about: 'network' | 'anything'
}

/** Alerts about one network, from the cause to its consequences. An open one explains all that follow it here. */
const OF_A_NETWORK: readonly (readonly AlertKind[])[] = [
  ['node-unavailable'],
  ['node-unfit'],
  ['chain-stale'],
  ['finality-stalled', 'head-old', 'fees-unknown', 'full-comparison-old', 'node-left-out', 'job-failing'],
]

/**
 * Kinds that another open alert explains. People get a notice of the cause alone, because several notices of one
 * cause hide which one to act on. A kind that says that money may be wrong or lost is never explained by another one.
 */
export const EXPLAINED: readonly Explained[] = [
  ...OF_A_NETWORK.flatMap((kinds, at) =>
    kinds.flatMap((kind) =>
      OF_A_NETWORK.slice(0, at).flatMap((causes) =>
        causes.map((cause) => ({ kind, cause, about: 'network' as const })),
      ),
    ),
  ),
  // There is one venue.
  { kind: 'hedge-failing', cause: 'venue-unreachable', about: 'anything' },
]
