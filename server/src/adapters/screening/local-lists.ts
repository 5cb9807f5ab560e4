import { ScreeningUnavailable, type Screener } from './port.ts'
import { noSignals } from './signals.ts'

/** An address on a sanctions list. */
export interface Listed {
  address: string
  /** the list's name, such as `OFAC SDN` */
  list: string
  /** the listed party; empty when the list names none */
  name: string
}

/**
 * Current matches of addresses in any spelling. `complete` is false while no list has been imported: then no address is
 * known to be clean.
 */
export interface ListAnswer {
  complete: boolean
  listed: readonly Listed[]
}

/** Flag for a transaction with too many senders: it is not cleared, an operator has to examine it. */
const NOT_COMPARED = 'Its transaction has too many senders to be named: they were not compared with the lists'

/**
 * Screens by sanctions lists that the operator imports. It reports the single signal `sanctions` and nothing else about
 * anybody, so it is not a complete check of where money comes from.
 */
export const createLocalLists = (
  lookUp: (addresses: readonly string[]) => Promise<ListAnswer>,
  now: () => number,
): Screener => {
  const screen: Screener['screen'] = async ({ others, othersOmitted }) => {
    if (othersOmitted === true)
      return {
        kind: 'report',
        report: { riskScore: 0, signals: noSignals(), flags: [NOT_COMPARED], madeAt: now(), raw: {} },
      }
    if (others.length === 0) return { kind: 'nothing' }
    const { complete, listed } = await lookUp(others)
    if (!complete) throw new ScreeningUnavailable('local-lists: no list has been imported: bursar screening import')
    const signals = { ...noSignals(), sanctions: listed.length > 0 ? 100 : 0 }
    const flags = listed.map(
      ({ address, list, name }) => `${address} is on the list ${list}${name === '' ? '' : ` (${name})`}`,
    )
    return {
      kind: 'report',
      report: { riskScore: listed.length > 0 ? 1 : 0, signals, flags, madeAt: now(), raw: { listed } },
    }
  }
  return { name: 'local-lists', screen, recheck: (subject) => screen(subject) }
}
