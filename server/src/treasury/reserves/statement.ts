export const FORMAT = 'bursar-reserves-1'

/** How one asset stands. Units are integers of `scale` decimals, as decimal digits. */
export interface StatementAsset {
  ticker: string
  scale: number
  /** what all merchants together may spend or have on hold: the sum of the tree */
  liabilities: string
  /** held, and without an owner yet */
  suspense: string
  /** held by screening */
  quarantine: string
  /** left our wallets for merchants whose balance still holds it until the block is final */
  inTransit: string
  /** what our addresses held on each network, at which block */
  reserves: { network: string; height: number; hash: string; units: string }[]
  /**
   * of a currency: what is with each acquirer, on its way to the bank, and in it, by the books. Below 0: what was
   * advanced
   */
  accounts?: { name: string; units: string }[]
}

/**
 * What a report says, as the text whose hash every leaf and the commitment are made with: it is kept and handed on as
 * text, so that no two programs have to write JSON alike.
 */
export interface Statement {
  format: typeof FORMAT
  id: string
  /** ISO 8601 */
  takenAt: string
  /** leaves that are merchants; the tree is as deep as they need */
  merchants: number
  assets: StatementAsset[]
}

/** Levels above the leaves: the fewest that have room for all. */
export const depthFor = (leaves: number): number => (leaves <= 1 ? 0 : 32 - Math.clz32(leaves - 1))
