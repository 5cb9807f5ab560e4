/** Returns the effects of a transaction as java-tron's TransactionInfo in JSON. */
import { base58Of } from '../address.ts'
import { hexOf, hexOfText } from '../bytes.ts'
import { addressJson } from '../codec/json.ts'
import type { Json } from '../codec/json.ts'
import type { Located } from '../blocks/branch.ts'
import type { InternalTransaction, Log, Receipt } from '../blocks/receipt.ts'

export const infoJson = ({ transaction, block }: Located, visible: boolean, lists: (note: string) => boolean): Json => {
  const { receipt, id } = transaction
  const { run } = receipt
  const listed = (run?.internal ?? []).filter(({ note }) => lists(note))
  const failed = run !== undefined && run.result !== 'SUCCESS'
  return {
    id,
    ...nonZero({ fee: receipt.fee }),
    ...nonZero({ blockNumber: BigInt(block.number) }),
    blockTimeStamp: BigInt(block.timestamp),
    contractResult: [run === undefined ? '' : hexOf(run.returned)],
    ...(run === undefined ? {} : { contract_address: addressJson(run.contract, visible) }),
    receipt: receiptJson(receipt),
    ...(run === undefined || run.logs.length === 0 ? {} : { log: run.logs.map((log) => logJson(log, visible)) }),
    ...(failed ? { result: 'FAILED' } : {}),
    ...(run?.message === undefined ? {} : { resMessage: visible ? run.message : hexOfText(run.message) }),
    ...(listed.length === 0 ? {} : { internal_transactions: listed.map((one) => internalJson(one, failed, visible)) }),
    ...nonZero({ withdraw_expire_amount: receipt.withdrawExpireAmount ?? 0n }),
  }
}

const receiptJson = ({ run, netUsage, netFee }: Receipt): Json => ({
  ...nonZero({
    energy_usage: run?.energyUsage ?? 0n,
    energy_fee: run?.energyFee ?? 0n,
    origin_energy_usage: run?.originEnergyUsage ?? 0n,
    energy_usage_total: run?.energy ?? 0n,
    energy_penalty_total: run?.penalty ?? 0n,
    net_usage: netUsage,
    net_fee: netFee,
  }),
  ...(run === undefined ? {} : { result: run.result }),
})

/** The address has 20 bytes, without 41, unless the request is `visible`. */
export const logJson = ({ address, topics, data }: Log, visible: boolean): Json => ({
  address: visible ? base58Of(`41${hexOf(address)}`) : hexOf(address),
  ...(topics.length > 0 ? { topics: topics.map(hexOf) } : {}),
  ...(data.length > 0 ? { data: hexOf(data) } : {}),
})

export const internalJson = (
  { hash, caller, to, value, note, extra, rejected }: InternalTransaction,
  failed: boolean,
  visible: boolean,
): Json => ({
  hash: hexOf(hash),
  caller_address: addressJson(caller, visible),
  transferTo_address: addressJson(to, visible),
  callValueInfo: [nonZero({ callValue: value })],
  note: hexOfText(note),
  ...(extra === undefined ? {} : { extra }),
  ...(rejected || failed ? { rejected: true } : {}),
})

const nonZero = (fields: Readonly<Record<string, bigint>>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0n))
