/**
 * The use of received money, as a merchant states it (`contract.md` 4.1). The address and its network are given
 * together or not at all.
 */
export interface TargetBody {
  ticker: string
  address?: string
  blockchain?: string
}

/** The address or invoice that receives the money. */
export interface TargetOwner {
  merchantId: string
  kind: 'address' | 'crypto-invoice' | 'fiat-invoice'
  /** id of the address or invoice, which may not exist yet */
  id: string
}

/**
 * Validates and stores a target before its owner is created. It has no effect if the owner is never created.
 * @throws ApiRefusal naming the field
 */
export type KeepTarget = (owner: TargetOwner, target: TargetBody) => Promise<void>
