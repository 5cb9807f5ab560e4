import { listOf, Malformed, objectOf } from '../shape.ts'
import { quantityOf } from './quantity.ts'

/** Change of each account's balance in wei, by lower-case address. Unchanged accounts are absent. */
export type BalanceChanges = ReadonlyMap<string, bigint>

/** The answer is from another tracer: the node does not know the requested one, or ignores its options. */
export class WrongTracer extends Malformed {
  override name = 'WrongTracer'
}

const ADDRESS = /^0x[0-9a-f]{40}$/i
/** Calls that move value. A delegate call repeats its caller's value without moving it. */
const MOVES_VALUE = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/**
 * Balance changes of a transaction, from the answer of `prestateTracer` with `diffMode`. An account that was empty
 * before is absent from `pre`, one that was deleted is absent from `post`, and `post` has a balance only if it changed.
 */
export const changesOfDiff = (result: unknown): BalanceChanges => {
  const shown = traceOf(result)
  const [pre, post] = [shown['pre'], shown['post']]
  if (!isObject(pre) || !isObject(post)) throw new WrongTracer('a trace has no accounts before and after')
  const changes = new Map<string, bigint>()
  for (const address of new Set([...Object.keys(pre), ...Object.keys(post)])) {
    const before = balanceIn(pre, address) ?? 0n
    const after = Object.hasOwn(post, address) ? (balanceIn(post, address) ?? before) : 0n
    add(changes, accountOf(address), after - before)
  }
  return changes
}

/**
 * Balance changes by the inner calls of a transaction, from the outermost frame of `callTracer`, whose own value is the
 * transaction's. A failed frame undoes everything below it, even calls that succeeded.
 */
export const changesOfCalls = (outermost: unknown): BalanceChanges => {
  const frame = traceOf(outermost)
  if (typeof frame['type'] !== 'string' || typeof frame['from'] !== 'string')
    throw new WrongTracer('a trace is no call')
  const changes = new Map<string, bigint>()
  addCalls(frame, changes)
  return changes
}

const addCalls = (parent: Record<string, unknown>, changes: Map<string, bigint>): void => {
  if (!isAbsent(parent['error']) || isAbsent(parent['calls'])) return
  for (const value of listOf(parent['calls'], 'calls')) {
    const frame = objectOf(value, 'a call')
    if (hasFailed(frame)) continue
    addCall(frame, changes)
    addCalls(frame, changes)
  }
}

/** Whether a frame failed. Besu before 26.2 gives a failed creation neither an `error` nor an address. */
const hasFailed = ({ type, error, to }: Record<string, unknown>): boolean =>
  !isAbsent(error) || (String(type).startsWith('CREATE') && isAbsent(to))

const addCall = ({ type, value, from, to }: Record<string, unknown>, changes: Map<string, bigint>): void => {
  if (!MOVES_VALUE.has(String(type)) || isAbsent(value)) return
  const units = quantityOf(value, 'the value of a call')
  if (units === 0n) return
  add(changes, accountOf(from), -units)
  add(changes, accountOf(to), units)
}

/** Some nodes write null for fields that others omit. */
const isAbsent = (member: unknown): boolean => member === undefined || member === null

/** Checks that a trace is an object. Anything else is incomplete, and its tracer can't be determined. */
const traceOf = (value: unknown): Record<string, unknown> => objectOf(value, 'a trace')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const balanceIn = (accounts: Record<string, unknown>, address: string): bigint | undefined => {
  if (!Object.hasOwn(accounts, address)) return undefined
  const { balance } = objectOf(accounts[address], 'an account')
  return balance === undefined || balance === null ? undefined : quantityOf(balance, 'a balance')
}

const accountOf = (address: unknown): string => {
  if (typeof address !== 'string' || !ADDRESS.test(address)) throw new Malformed('an account has no address')
  return address.toLowerCase()
}

const add = (changes: Map<string, bigint>, address: string, units: bigint): void => {
  const sum = (changes.get(address) ?? 0n) + units
  if (sum === 0n) changes.delete(address)
  else changes.set(address, sum)
}
