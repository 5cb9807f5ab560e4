/**
 * Results of the emulator for an address or a transaction: the one that was set, else by its last four characters, in
 * any case.
 */

/** Results that can be set. `pending`: no report until another result is set. */
export const VERDICTS = ['clean', 'mixer', 'gambling', 'sanctioned', 'pending'] as const
export type Verdict = (typeof VERDICTS)[number]

interface Outcome {
  readonly riskscore: number
  readonly signals: Readonly<Record<string, number>>
  readonly blackListed?: boolean
}

const CLEAN: Outcome = { riskscore: 0.043, signals: { exchange: 0.915, exchange_mlrisk_low: 0.06, wallet: 0.025 } }

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  '9999': { riskscore: 1, signals: { sanctions: 1 }, blackListed: true },
  '9998': { riskscore: 0.875, signals: { mixer: 0.505, dark_market: 0.285, exchange: 0.21 } },
  '9997': { riskscore: 0.5, signals: { gambling: 0.5, exchange_mlrisk_moderate: 0.5 } },
  '9996': { riskscore: 0.1, signals: { exchange: 0.9, a_signal_of_tomorrow: 0.1 } },
}

const BY_VERDICT: Readonly<Record<Exclude<Verdict, 'pending'>, Outcome>> = {
  clean: CLEAN,
  sanctioned: OUTCOMES['9999']!,
  mixer: OUTCOMES['9998']!,
  gambling: OUTCOMES['9997']!,
}

/** How often `/recheck` is asked before the report is there. */
const WAITS: Readonly<Record<string, number>> = { '9995': 1, '9994': 3 }

const ending = (hash: string): string => hash.slice(-4).toLowerCase()

export const waitsFor = (hash: string): number => WAITS[ending(hash)] ?? 0

const SIGNALS = [
  'atm',
  'dark_market',
  'dark_service',
  'exchange',
  'exchange_fraudulent',
  'exchange_mlrisk_high',
  'exchange_mlrisk_low',
  'exchange_mlrisk_moderate',
  'exchange_mlrisk_veryhigh',
  'gambling',
  'illegal_service',
  'marketplace',
  'miner',
  'mixer',
  'payment',
  'ransom',
  'sanctions',
  'scam',
  'stolen_coins',
  'wallet',
]

export interface Question {
  readonly hash: string
  readonly uid: string
  readonly asset: string
  readonly address: string | undefined
  readonly direction: string | undefined
  /** ms */
  readonly at: number
  /** undefined: by its ending */
  readonly verdict?: Exclude<Verdict, 'pending'> | undefined
}

export const dataOf = ({ hash, uid, asset, address, direction, at, verdict }: Question): Record<string, unknown> => {
  const {
    riskscore,
    signals,
    blackListed = false,
  } = verdict === undefined ? (OUTCOMES[ending(hash)] ?? CLEAN) : BY_VERDICT[verdict]
  return {
    uid,
    status: 'success',
    asset,
    ...(address === undefined ? { address: hash } : { tx: hash, address, direction }),
    riskscore,
    signals: { ...Object.fromEntries(SIGNALS.map((name) => [name, 0])), ...signals },
    hasBlackListFlag: blackListed,
    blackListsConnections: blackListed,
    counterparty: { id: 741140567 },
    pdfReport: `https://provider.invalid/report/${uid}.pdf`,
    timestamp: new Date(at).toISOString().slice(0, 19).replace('T', ' '),
    updated_at: Math.floor(at / 1_000),
  }
}
