/** The values of a screening report. Times are ms since the epoch. Addresses and flags come from third parties. */
export interface ScreeningReport {
  /** id of the deposit or the withdrawal */
  id: string
  about: 'deposit' | 'withdrawal'
  /** the network's name on the wire */
  network: string
  asset: string
  transaction: string | null
  /** our deposit address; null for a withdrawal */
  own: string | null
  others: readonly string[]
  /** 0 to 1 */
  riskScore: number
  /** whole percents, by the names of the contract */
  signals: Readonly<Record<string, number>>
  /** in English, as the providers and lists state them */
  flags: readonly string[]
  risky: boolean
  providers: readonly string[]
  madeAt: number
}
