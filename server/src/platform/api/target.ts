/**
 * What received money becomes, as a merchant writes it (`contract.md` 4.1): the address and its network together or not
 * at all.
 */
export interface TargetBody {
  ticker: string
  address?: string
  blockchain?: string
}

/** Whose money it is: what it arrives at. */
export interface TargetOwner {
  merchantId: string
  kind: 'address' | 'crypto-invoice' | 'fiat-invoice'
  /** of the address or invoice, which may not exist yet */
  id: string
}

/**
 * Judges a target and keeps it, before what it belongs to is made: one whose owner is never made does nothing.
 * @throws ApiRefusal naming the field
 */
export type KeepTarget = (owner: TargetOwner, target: TargetBody) => Promise<void>
