import type { Moment } from '../../platform/base/moment.ts'
import type { AccountKey, Item } from '../../ledger/postings/index.ts'

/** The part of an adjustment that one account gives. */
export interface Part {
  account: AccountKey
  units: bigint
}

/**
 * Returns postings that move units from accounts to one account. Between accounts of different owners they use the
 * clearing accounts of both.
 * @param id the adjustment's, which is their cause
 */
export const itemsOf = (id: string, parts: readonly Part[], to: AccountKey, { at, newId }: Moment): Item[] => {
  const byOwner = new Map<string, Map<string, { account: AccountKey; posted: bigint }>>()
  const add = (account: AccountKey, posted: bigint): void => {
    const entries = byOwner.get(account.merchantId) ?? new Map<string, { account: AccountKey; posted: bigint }>()
    const before = entries.get(account.kind)?.posted ?? 0n
    byOwner.set(account.merchantId, entries.set(account.kind, { account, posted: before + posted }))
  }
  for (const { account, units } of parts) {
    add(account, -units)
    add(to, units)
    if (account.merchantId !== to.merchantId) {
      add({ ...account, kind: 'clearing' }, units)
      add({ ...to, kind: 'clearing' }, -units)
    }
  }
  return [...byOwner].map(([merchantId, entries]) => ({
    transfer: {
      id: newId(),
      merchantId,
      kind: 'post',
      cause: { kind: 'adjustment', id },
      entries: [...entries.values()]
        .filter(({ posted }) => posted !== 0n)
        .map(({ account, posted }) => ({ account, posted, held: 0n })),
      at,
    },
  }))
}
