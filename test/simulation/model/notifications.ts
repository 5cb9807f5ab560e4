/** The notifications of merchants: per object the statuses of the contract, in their order. */
import type { Simulation } from '../simulation.ts'

/** withdrawals to an address, as the model calls them */
const ON_CHAIN = 'Withdraw-to-address'

/** docs/contract.md, section 6: the statuses that may follow each other, by kind. */
const ORDER: Record<string, readonly (readonly string[])[]> = {
  Replenish: [
    ['Pending', 'Done', 'Verified'],
    ['Pending', 'Failed'],
    ['Pending', 'Done', 'Failed'],
    ['Pending', 'Done', 'Verified', 'Failed'],
    ['Failed'],
    ['Done', 'Verified'],
  ],
  // A single card payout that came back is Failed after Done (server/src/cards/card-payouts/machine.ts).
  Withdraw: [['Pending', 'Done'], ['Pending', 'Failed'], ['Failed'], ['Done', 'Failed']],
  // Another merchant's address is paid without a transaction, and so without Pending. Failed follows Done if the block
  // was lost and the transaction is mined again without effect; Done never follows Failed.
  [ON_CHAIN]: [['Pending', 'Done', 'Failed'], ['Pending', 'Failed'], ['Failed'], ['Done']],
  Exchange: [['Done'], ['Failed']],
  Invoice: [
    ['Pending', 'Done'],
    ['Pending', 'Failed'],
    // No payer has continued to its payment (server/src/pay-in/fiat-invoices/machine.ts).
    ['Failed'],
  ],
  WithdrawBatch: [['Done']],
  FiatExchangeWithdraw: [['Exchanged', 'Done'], ['Exchanged', 'Failed'], ['Failed']],
  CryptoExchangeWithdraw: [['Exchanged', 'Done', 'Failed'], ['Exchanged', 'Failed'], ['Failed']],
}

export const compareNotifications = ({ receivers }: Simulation): string[] => {
  const statuses = new Map<string, string[]>()
  for (const { objectId, kind, status, body } of receivers.received) {
    const isOnChain = kind === 'Withdraw' && 'blockchain' in (JSON.parse(body) as object)
    const key = `${isOnChain ? ON_CHAIN : kind} ${objectId}`
    statuses.set(key, [...(statuses.get(key) ?? []), status])
  }
  return [...statuses].flatMap(([key, seen]) => {
    const allowed = ORDER[key.split(' ')[0]!]
    if (allowed === undefined) return []
    const isAllowed = allowed.some((one) => seen.length <= one.length && seen.every((status, at) => status === one[at]))
    return isAllowed ? [] : [`${key}: notified as ${seen.join(', ')}`]
  })
}
