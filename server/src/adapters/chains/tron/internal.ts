import type { Transfer } from '@bursar/chainkit'
import { listOf, objectOf } from '../shape.ts'
import { addressOf, amountOf, messageOf, type Fields } from './fields.ts'
import type { Info } from './outcome.ts'

/**
 * Notes of entries that move coin. java-tron lists no others unless `vm.saveFeaturedInternalTx` is on
 * (`TransactionUtil.java`).
 */
const MOVING = new Set(['call', 'create', 'suicide'])

/**
 * Notes of all other entries (`Program.java` of java-tron 4.8). Their `callValue` is the amount staked, lent, voted or
 * withdrawn, of which nothing goes to the stated receiver. `withdrawExpireUnfreezeWhileSuiciding` repeats an amount
 * that the `suicide` before it includes.
 */
const FEATURED = new RegExp(
  '^(?:(?:freezeFor|unfreezeFor|freezeBalanceV2For|unfreezeBalanceV2For|delegateResourceOf|unDelegateResourceOf)(?:Bandwidth|Energy|TronPower|UnknownType)' +
    '|withdrawExpireUnfreeze(?:While(?:Unfreezing|Canceling|Suiciding))?|withdrawReward|cancelAllUnfreezeV2|voteWitness)$',
)

/** Maximum length of a note in a report to the operator. */
const LONGEST_NOTE = 60

const entriesOf = (info: Info): { note: string; entry: Fields }[] =>
  listOf(info['internal_transactions'] ?? [], 'internal_transactions').map((value) => {
    const entry = objectOf(value, 'an internal transaction')
    return { note: messageOf(entry['note']), entry }
  })

/**
 * TRX sent by contracts within a transaction. A node with `vm.saveInternalTx` lists the entries in order of execution.
 * Each transfer is numbered by its place among the entries that move coin, so that the number is the same on nodes that
 * list other entries too.
 */
export const internalTransfers = (info: Info): Transfer[] =>
  entriesOf(info)
    .filter(({ note }) => MOVING.has(note))
    .flatMap(({ entry }, place): Transfer[] => {
      if (entry['rejected'] === true) return []
      const units = trxOf(entry['callValueInfo'])
      if (units === 0n) return []
      const from = addressOf(entry['caller_address'], 'caller_address')
      const to = addressOf(entry['transferTo_address'], 'transferTo_address')
      return [{ index: `t:${place}`, contract: null, from: [from], to, units }]
    })

/** Unknown notes, whose entries are ignored. */
export const unknownNotes = (info: Info): string[] =>
  entriesOf(info)
    .filter(({ note }) => !MOVING.has(note) && !FEATURED.test(note))
    .map(({ note }) => note.slice(0, LONGEST_NOTE))

/** Sum of TRX. Values with a `tokenId` are TRC-10, which is not credited. */
const trxOf = (values: unknown): bigint =>
  listOf(values ?? [], 'callValueInfo').reduce<bigint>((sum, value) => {
    const { tokenId, callValue } = objectOf(value, 'a callValueInfo')
    return tokenId === undefined ? sum + amountOf(callValue, 'callValue') : sum
  }, 0n)
