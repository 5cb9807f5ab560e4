/**
 * Field names of the signed requests, and synonyms of ours. In a form they count as a field that was meant to be filled
 * in, not as a button.
 */
const MEANT: readonly string[] = [
  'amount',
  'sum',
  'price',
  'total',
  'currency',
  'asset',
  'coin',
  'network',
  'chain',
  'title',
  'comment',
  'order',
  'orderid',
  'localid',
  'mail',
  'phone',
  'url',
  'redirect',
  'returnurl',
  'returnto',
  'successurl',
  'callback',
  'callbackurl',
  'target',
  'address',
  'merchant',
  'account',
  'duration',
  'clientduration',
  'baseamount',
  'topendingimmediate',
  'fee',
]

/** Whether a name looks like a mistyped field name of ours, or is a synonym of one. */
export const isNearMiss = (name: string, fields: readonly string[]): boolean => {
  const plain = plainOf(name)
  return (
    MEANT.includes(plain) ||
    fields.map(plainOf).some((field) => distance(plain, field) <= Math.max(1, Math.floor(field.length / 3)))
  )
}

const plainOf = (name: string): string => name.toLowerCase().replaceAll(/[-_.[\]]/g, '')

/** The number of letters that are missing, added, changed, or swapped with their neighbour. */
const distance = (a: string, b: string): number => {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_unused, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]![j] = Math.min(
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        changed,
        isSwap ? rows[i - 2]![j - 2]! + 1 : changed,
      )
    }
  }
  return rows[a.length]![b.length]!
}
