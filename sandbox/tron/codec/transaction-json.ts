/**
 * Converts transactions to and from java-tron's JSON. There `raw_data` counts, and `raw_data_hex` is ignored;
 * signatures cover the bytes.
 */
import { bytesOf, hexOf, noBytes, textBytes } from '../bytes.ts'
import { contractAddressOf } from '../address.ts'
import { contractKinds, type Contract, type ContractType } from './contracts.ts'
import { integerOf, JsonError, listOf, messageFromJson, messageJson, objectOf, type Json } from './json.ts'
import type { MessageOf, Schema } from './schema.ts'
import { signedTransaction, typeUrlOf, type RawTransaction, type SignedTransaction } from './transaction.ts'

export const rawJson = (raw: RawTransaction, visible: boolean): Json => {
  const { contract } = raw
  const schema = contractKinds[contract.type].schema as Schema
  const value = messageJson(schema, contract.value as MessageOf<Schema>, visible)
  return {
    contract: [
      {
        parameter: { value, type_url: typeUrlOf(contract) },
        type: contract.type,
        ...(raw.permissionId > 0n ? { Permission_id: raw.permissionId } : {}),
      },
    ],
    ref_block_bytes: hexOf(raw.refBlockBytes),
    ref_block_hash: hexOf(raw.refBlockHash),
    expiration: raw.expiration,
    ...(raw.data.length > 0 ? { data: hexOf(raw.data) } : {}),
    ...(raw.feeLimit !== 0n ? { fee_limit: raw.feeLimit } : {}),
    ...(raw.timestamp !== 0n ? { timestamp: raw.timestamp } : {}),
  }
}

/** For a creation, the contract's address is a separate member. */
export const transactionJson = (transaction: SignedTransaction, visible: boolean): Json => ({
  ...(transaction.signatures.length > 0 ? { signature: transaction.signatures.map(hexOf) } : {}),
  txID: transaction.id,
  ...(transaction.raw.contract.type === 'CreateSmartContract'
    ? { contract_address: contractAddressOf(transaction.id, transaction.raw.contract.value.owner_address) }
    : {}),
  raw_data: rawJson(transaction.raw, visible),
  raw_data_hex: hexOf(transaction.rawBytes),
})

/** Throws JsonError. */
export const transactionFromJson = (json: unknown): SignedTransaction => {
  const object = objectOf(json)
  const visible = object['visible'] === true || object['visible'] === 'true'
  const raw = objectOf(object['raw_data'])
  const [contract, ...more] = listOf(raw['contract'])
  if (contract === undefined || more.length > 0)
    throw new JsonError('act size should be exactly 1, this is extend feature')
  const bytes = (name: string): Uint8Array => (typeof raw[name] === 'string' ? hexBytes(raw[name], name) : noBytes)
  const signatures = listOf(object['signature'] ?? []).map((one) => hexBytes(one, 'signature'))
  return signedTransaction(
    {
      refBlockBytes: bytes('ref_block_bytes'),
      refBlockHash: bytes('ref_block_hash'),
      expiration: integerOf(raw['expiration'] ?? 0, 'expiration'),
      data: bytes('data'),
      contract: contractFromJson(objectOf(contract), visible),
      permissionId: integerOf(objectOf(contract)['Permission_id'] ?? 0, 'Permission_id'),
      timestamp: integerOf(raw['timestamp'] ?? 0, 'timestamp'),
      feeLimit: integerOf(raw['fee_limit'] ?? 0, 'fee_limit'),
    },
    signatures,
  )
}

const contractFromJson = (json: Json, visible: boolean): Contract => {
  const type = json['type']
  if (typeof type !== 'string' || !(type in contractKinds))
    throw new JsonError(`the sandbox's chain has no contract ${String(type)}`)
  const { schema } = contractKinds[type as ContractType]
  const value = messageFromJson(schema as Schema, objectOf(json['parameter'])['value'] ?? {}, visible)
  return { type, value } as unknown as Contract
}

/** Parses the memo of a request that builds a transaction: text if it is `visible`, else hexadecimal. */
export const memoFromJson = (value: unknown, visible: boolean): Uint8Array => {
  if (typeof value !== 'string') return noBytes
  return visible ? textBytes(value) : hexBytes(value, 'extra_data')
}

const hexBytes = (value: unknown, name: string): Uint8Array => {
  if (typeof value !== 'string') throw new JsonError(`${name}: expected a string`)
  try {
    return bytesOf(value)
  } catch {
    throw new JsonError(`INVALID hex String ${name}`)
  }
}
