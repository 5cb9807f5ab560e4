import type { Transfer } from '@bursar/chainkit'
import { listOf, objectOf } from '../shape.ts'
import { addressOf, amountOf } from './fields.ts'
import type { Info } from './outcome.ts'

/**
 * TRX that contracts sent within a transaction. A node lists them in the order of execution when `vm.saveInternalTx` is
 * on. A place in that list depends on nothing but the execution, so it names the transfer on any fork that has the same.
 */
export const internalTransfers = (info: Info): Transfer[] =>
  listOf(info['internal_transactions'] ?? [], 'internal_transactions').flatMap((value, place): Transfer[] => {
    const internal = objectOf(value, 'an internal transaction')
    if (internal['rejected'] === true) return []
    const units = trxOf(internal['callValueInfo'])
    if (units === 0n) return []
    const from = addressOf(internal['caller_address'], 'caller_address')
    const to = addressOf(internal['transferTo_address'], 'transferTo_address')
    return [{ index: `t:${place}`, contract: null, from: [from], to, units }]
  })

/** What has a `tokenId` is TRC-10, which nobody is credited. */
const trxOf = (values: unknown): bigint =>
  listOf(values ?? [], 'callValueInfo').reduce<bigint>((sum, value) => {
    const { tokenId, callValue } = objectOf(value, 'a callValueInfo')
    return tokenId === undefined ? sum + amountOf(callValue, 'callValue') : sum
  }, 0n)
