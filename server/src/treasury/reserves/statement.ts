export const FORMAT = 'bursar-reserves-1'

/** One asset of a statement. Units are integers of `scale` decimals, as decimal digits. */
export interface StatementAsset {
  ticker: string
  scale: number
  /** available and held balances of all merchants: the sum of the tree */
  liabilities: string
  /** held by the platform, without an owner yet */
  suspense: string
  /** held by screening */
  quarantine: string
  /** has left our wallets, while merchants' balances contain it until the block is final */
  inTransit: string
  /** balances of our addresses on each network, with the block */
  reserves: { network: string; height: number; hash: string; units: string }[]
  /** of a currency: balances at each acquirer, in settlement and at the bank, by the ledger. Below 0: an advance */
  accounts?: { name: string; units: string }[]
}

/**
 * The contents of a report. Every leaf and the commitment depend on the hash of its text; it is stored and passed on as
 * text, so that programs need not format JSON alike.
 */
export interface Statement {
  format: typeof FORMAT
  id: string
  /** ISO 8601 */
  takenAt: string
  /** number of merchants' leaves; the tree is as deep as they need */
  merchants: number
  assets: StatementAsset[]
}

/** Returns the number of levels above the leaves: the fewest that hold all leaves. */
export const depthFor = (leaves: number): number => (leaves <= 1 ? 0 : 32 - Math.clz32(leaves - 1))
