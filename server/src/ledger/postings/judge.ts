import { keyText, ruleOf, type AccountKey } from './accounts.ts'
import { answeredBefore } from './identity.ts'
import type { Item, StoredAnswer, Settled, Transfer, Outcome } from './posting.ts'

/** An account as locked: its balance and how many entries it has. */
export interface AccountHead {
  id: number
  posted: bigint
  held: bigint
  version: number
}

/** The state that the first round trip of a batch read, under lock. */
export interface Reading {
  /** by `keyText` */
  accounts: Map<string, AccountHead>
  /** by `merchantId/localId` */
  localIds: Map<string, string>
  /** by `merchantId/key` */
  answers: Map<string, StoredAnswer & { fingerprint: string }>
  /** by `merchantId/holdId`: held units by account id. A hold that has ended or never existed is absent. */
  openHolds: Map<string, Map<number, bigint>>
}

/** One change of an account: the units that it adds, and the balance after it, in the asset's units. */
export interface Entry {
  accountId: number
  version: number
  transferId: string
  posted: bigint
  held: bigint
  postedAfter: bigint
  heldAfter: bigint
}

export interface Judgement {
  outcomes: Outcome[]
  entries: Entry[]
  /** changed accounts, in their state after the batch */
  heads: AccountHead[]
  /** indexes of the items that were applied */
  applied: number[]
  /** answers to keep */
  answers: { merchantId: string; key: string; fingerprint: string; answer: StoredAnswer; at: Date }[]
}

/**
 * Judges a batch in arrival order against the state read under lock; each item sees the effects of those before it. A
 * pure function: it changes copies and returns the guard that refused. The order of guards is that of `Item`.
 */
export const judge = (items: readonly Item[], reading: Reading): Judgement => {
  const heads = new Map([...reading.accounts].map(([key, head]) => [key, { ...head }]))
  const localIds = new Map(reading.localIds)
  const answers = new Map(reading.answers)
  const openHolds = new Map(reading.openHolds)
  const changed = new Map<number, AccountHead>()
  const result: Judgement = { outcomes: [], entries: [], heads: [], applied: [], answers: [] }

  const keep = (item: Item, settled: Settled): void => {
    if (!item.answers) return
    const answer = item.answers.of(settled)
    if (!answer) return
    for (const { key, fingerprint } of item.answers.keys) {
      answers.set(`${item.transfer.merchantId}/${key}`, { ...answer, fingerprint })
      result.answers.push({ merchantId: item.transfer.merchantId, key, fingerprint, answer, at: item.transfer.at })
    }
  }

  items.forEach((item, index) => {
    const before = answeredBefore({ merchantId: item.transfer.merchantId, keys: item.answers?.keys ?? [] }, answers)
    const touched = item.transfer.entries.map(({ account }) => headOf(heads, account))
    const outcome = before ?? refusalOf(item, touched, localIds, openHolds) ?? { kind: 'applied' as const }
    result.outcomes.push(outcome)
    if (outcome.kind === 'answered' || outcome.kind === 'key-reused') return
    keep(item, outcome)
    if (outcome.kind !== 'applied') return
    result.applied.push(index)
    const { transfer } = item
    if (item.localId) localIds.set(`${transfer.merchantId}/${item.localId.value}`, transfer.cause.id)
    if (transfer.closes) openHolds.delete(`${transfer.merchantId}/${transfer.closes}`)
    const held = new Map<number, bigint>()
    transfer.entries.forEach((entry, i) => {
      const head = touched[i]!
      if (entry.held > 0n) held.set(head.id, entry.held)
      head.posted += entry.posted
      head.held += entry.held
      head.version += 1
      changed.set(head.id, head)
      result.entries.push({
        accountId: head.id,
        version: head.version,
        transferId: transfer.id,
        posted: entry.posted,
        held: entry.held,
        postedAfter: head.posted,
        heldAfter: head.held,
      })
    })
    if (held.size > 0) openHolds.set(`${transfer.merchantId}/${transfer.id}`, held)
  })
  result.heads = [...changed.values()]
  return result
}

const headOf = (heads: ReadonlyMap<string, AccountHead>, account: AccountKey): AccountHead => {
  const head = heads.get(keyText(account))
  if (!head) throw new Error(`account was not read: ${keyText(account)}`)
  return head
}

/** @param touched the accounts of the item's entries, in their order */
const refusalOf = (
  item: Item,
  touched: readonly AccountHead[],
  localIds: ReadonlyMap<string, string>,
  openHolds: ReadonlyMap<string, ReadonlyMap<number, bigint>>,
): Settled | undefined => {
  const { transfer } = item
  if (item.localId) {
    const taken = localIds.get(`${transfer.merchantId}/${item.localId.value}`)
    if (taken !== undefined) return { kind: 'refused', guard: 'local-id-taken', objectId: taken }
  }
  if (transfer.closes) {
    const hold = openHolds.get(`${transfer.merchantId}/${transfer.closes}`)
    if (!hold) return { kind: 'refused', guard: 'hold-closed' }
    requireWholeHold(transfer, hold, touched)
  }
  for (const [i, entry] of transfer.entries.entries()) {
    const head = touched[i]!
    const after = head.posted + entry.posted - head.held - entry.held
    const falls = entry.posted - entry.held < 0n
    if (falls && ruleOf(entry.account.kind).bounded && after < 0n) {
      return { kind: 'refused', guard: 'insufficient', account: entry.account, available: head.posted - head.held }
    }
  }
  return undefined
}

/**
 * Throws unless a hold ends as a whole: the amount that is not captured is released by the same transfer. Anything else
 * is an error in our code.
 */
const requireWholeHold = (
  transfer: Transfer,
  hold: ReadonlyMap<number, bigint>,
  touched: readonly AccountHead[],
): void => {
  const freed = new Map(
    transfer.entries.flatMap((entry, i) => (entry.held < 0n ? [[touched[i]!.id, -entry.held] as const] : [])),
  )
  const whole = freed.size === hold.size && [...hold].every(([account, held]) => freed.get(account) === held)
  if (!whole) throw new Error(`transfer ${transfer.id} does not end all of hold ${transfer.closes}`)
}
