import { ChainUnavailable } from '../port.ts'
import { Malformed } from '../shape.ts'

/** The roles that ask chain nodes. */
export type NodeRole = 'watcher' | 'worker'

/**
 * One thing that a node shows. `good`: as the product needs it. `poor`: the product works and misses something.
 * `unfit`: the roles in `neededBy` can't work. `unknown`: the node did not say.
 */
export interface Finding {
  /** what was asked, such as `txindex`; stable */
  about: string
  standing: 'good' | 'poor' | 'unfit' | 'unknown'
  /** one sentence without a full stop */
  text: string
  /** what the operator changes, at the node or in the settings; null where nothing is to be changed */
  change: string | null
  /** empty unless `unfit` */
  neededBy: readonly NodeRole[]
}

/** One question of a survey, or a few that belong together. */
export interface Probe {
  about: string
  /** roles that ask it before they work; empty for what only `bursar doctor` shows */
  neededBy: readonly NodeRole[]
  /** Throws `ChainUnavailable` where the node gives no answer that can be believed. */
  look(): Promise<Seen>
}

/** What a probe saw. */
export type Seen = Pick<Finding, 'standing' | 'text'> & { change?: string }

export const good = (text: string): Seen => ({ standing: 'good', text })
export const poor = (text: string, change: string): Seen => ({ standing: 'poor', text, change })
export const unfit = (text: string, change: string): Seen => ({ standing: 'unfit', text, change })
export const unknown = (text: string): Seen => ({ standing: 'unknown', text })

/**
 * Asks one after the other, as some gateways count requests by the second. The first probe asks whether the node
 * answers at all: when it does not, the others are not asked. Throws nothing.
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
      standing: seen.standing,
      text: seen.text,
      change: seen.change ?? null,
      neededBy: seen.standing === 'unfit' ? neededBy : [],
    })
    if (isSilent && findings.length === 1) return findings
  }
  return findings
}

/** One line for an operator. */
export const lineOf = ({ about, text, change }: Finding): string =>
  `${about}: ${text}${change === null ? '' : `. ${change}`}`
