/**
 * What the document of a screening says, as values. Times are ms since the epoch; addresses and sentences are
 * strangers'.
 */
export interface ScreeningReport {
  /** of the deposit or the withdrawal */
  id: string
  about: 'deposit' | 'withdrawal'
  /** the network's name on the wire */
  network: string
  asset: string
  transaction: string | null
  /** ours; null of a withdrawal */
  own: string | null
  others: readonly string[]
  /** 0 to 1 */
  riskScore: number
  /** whole percents by the contract's names */
  signals: Readonly<Record<string, number>>
  /** in English, as providers and lists say them */
  flags: readonly string[]
  risky: boolean
  providers: readonly string[]
  madeAt: number
}
