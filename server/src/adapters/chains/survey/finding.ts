import { ChainUnavailable } from '../port.ts'
import { Malformed } from '../shape.ts'

/** The roles that use chain nodes. */
export type NodeRole = 'watcher' | 'worker'

/**
 * Result of one check of a node. `good`: as the product needs it. `poor`: the product works with restrictions. `unfit`:
 * the roles in `neededBy` can't work. `unknown`: the node did not answer.
 */
export interface Finding {
  /** stable name of the check, such as `txindex` */
  about: string
  verdict: 'good' | 'poor' | 'unfit' | 'unknown'
  /** one sentence without a full stop */
  text: string
  /** what the operator has to change, at the node or in the settings; null for nothing */
  change: string | null
  /** empty unless `unfit` */
  neededBy: readonly NodeRole[]
}

/** One query of a survey, or a few related ones. */
export interface Probe {
  about: string
  /** roles that run it before they start work; empty for checks of `bursar doctor` only */
  neededBy: readonly NodeRole[]
  /** Throws `ChainUnavailable` when the node gives no plausible answer. */
  look(): Promise<Seen>
}

/** Result of a probe. */
export type Seen = Pick<Finding, 'verdict' | 'text'> & { change?: string }

export const good = (text: string): Seen => ({ verdict: 'good', text })
export const poor = (text: string, change: string): Seen => ({ verdict: 'poor', text, change })
export const unfit = (text: string, change: string): Seen => ({ verdict: 'unfit', text, change })
export const unknown = (text: string): Seen => ({ verdict: 'unknown', text })

/**
 * Runs probes one after the other, because some gateways count requests per second. The first probe tests whether the
 * node answers at all; if not, the others are skipped. Throws nothing.
 */
export const runProbes = async (probes: readonly Probe[]): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const { about, neededBy, look } of probes) {
    let isSilent = false
    const seen = await look().catch((error: unknown) => {
      if (!(error instanceof ChainUnavailable || error instanceof Malformed || error instanceof RangeError)) throw error
      isSilent = true
      return unknown(error.message)
    })
    findings.push({
      about,
      verdict: seen.verdict,
      text: seen.text,
      change: seen.change ?? null,
      neededBy: seen.verdict === 'unfit' ? neededBy : [],
    })
    if (isSilent && findings.length === 1) return findings
  }
  return findings
}

/** Formats a finding as one line for operators. */
export const lineOf = ({ about, text, change }: Finding): string =>
  `${about}: ${text}${change === null ? '' : `. ${change}`}`
