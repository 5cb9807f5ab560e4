/** What merchants were notified of: per object the statuses of the contract, in their order. */
import type { Simulation } from '../simulation.ts'

/** docs/contract.md, section 6: the statuses that may follow each other, by kind. */
const ORDER: Record<string, readonly (readonly string[])[]> = {
  Replenish: [['Pending', 'Done'], ['Pending', 'Failed'], ['Pending', 'Done', 'Failed'], ['Failed'], ['Done']],
  Withdraw: [['Pending', 'Done'], ['Pending', 'Failed'], ['Failed'], ['Done']],
  Exchange: [['Done'], ['Failed']],
}

export const compareNotifications = ({ receivers }: Simulation): string[] => {
  const statuses = new Map<string, string[]>()
  for (const { objectId, kind, status } of receivers.received) {
    const key = `${kind} ${objectId}`
    statuses.set(key, [...(statuses.get(key) ?? []), status])
  }
  return [...statuses].flatMap(([key, seen]) => {
    const allowed = ORDER[key.split(' ')[0]!]
    if (allowed === undefined) return []
    const isAllowed = allowed.some((one) => seen.length <= one.length && seen.every((status, at) => status === one[at]))
    return isAllowed ? [] : [`${key}: notified as ${seen.join(', ')}`]
  })
}
