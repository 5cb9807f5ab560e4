/**
 * Transactions as bytes. Transaction{1 raw_data, 2 signature, 5 ret}; raw_data{1 ref_block_bytes, 4 ref_block_hash,
 * 8 expiration, 10 data, 11 contract, 14 timestamp, 18 fee_limit}; Contract{1 type, 2 parameter, 5 Permission_id};
 * parameter is an Any{1 type_url, 2 value}. Source: java-tron protocol/src/main/protos/core/Tron.proto.
 */
import { concat, hexOf, sha256, textBytes } from '../bytes.ts'
import { contractKinds, contractTypeOf } from './contracts.ts'
import type { Contract } from './contracts.ts'
import { decodeMessage, encodeMessage } from './schema.ts'
import type { MessageOf, Schema } from './schema.ts'
import { bytesField, bytesIn, CodecError, integerField, integerIn, listIn, readFields } from './wire.ts'

export interface RawTransaction {
  /** Bytes 6 and 7 of the number of the block it refers to. */
  readonly refBlockBytes: Uint8Array
  /** Bytes 8 to 15 of that block's id. */
  readonly refBlockHash: Uint8Array
  /** ms */
  readonly expiration: bigint
  /** The memo. */
  readonly data: Uint8Array
  readonly contract: Contract
  readonly permissionId: bigint
  /** ms */
  readonly timestamp: bigint
  /** sun */
  readonly feeLimit: bigint
}

export interface SignedTransaction {
  /** sha256 of the raw bytes, hexadecimal. */
  readonly id: string
  readonly raw: RawTransaction
  readonly rawBytes: Uint8Array
  /** Each 65 bytes: r, s, v. */
  readonly signatures: readonly Uint8Array[]
}

const urlPrefix = 'type.googleapis.com/protocol.'
export const typeUrlOf = (contract: Contract): string => `${urlPrefix}${contract.type}`

export const encodeRaw = (raw: RawTransaction): Uint8Array => {
  const { number, schema } = contractKinds[raw.contract.type]
  const value = encodeMessage(schema as Schema, raw.contract.value as MessageOf<Schema>)
  const parameter = concat(bytesField(1, textBytes(typeUrlOf(raw.contract))), bytesField(2, value))
  const contract = concat(integerField(1, BigInt(number)), bytesField(2, parameter), integerField(5, raw.permissionId))
  return concat(
    bytesField(1, raw.refBlockBytes),
    bytesField(4, raw.refBlockHash),
    integerField(8, raw.expiration),
    bytesField(10, raw.data),
    bytesField(11, contract, true),
    integerField(14, raw.timestamp),
    integerField(18, raw.feeLimit),
  )
}

/** Parses raw_data. Throws CodecError, also for contract types that this chain does not have. */
export const decodeRaw = (bytes: Uint8Array): RawTransaction => {
  const fields = readFields(bytes)
  const contracts = listIn(fields, 11)
  if (contracts.length !== 1) throw new CodecError('act size should be exactly 1, this is extend feature')
  const contract = readFields(contracts[0] as Uint8Array)
  return {
    refBlockBytes: bytesIn(fields, 1),
    refBlockHash: bytesIn(fields, 4),
    expiration: integerIn(fields, 8),
    data: bytesIn(fields, 10),
    contract: decodeContract(integerIn(contract, 1), bytesIn(contract, 2)),
    permissionId: integerIn(contract, 5),
    timestamp: integerIn(fields, 14),
    feeLimit: integerIn(fields, 18),
  }
}

const decodeContract = (number: bigint, parameter: Uint8Array): Contract => {
  const type = contractTypeOf(number)
  if (type === undefined) throw new CodecError(`the sandbox's chain has no contract of type ${number}`)
  const any = readFields(parameter)
  const url = Buffer.from(bytesIn(any, 1)).toString('utf8')
  if (url !== `${urlPrefix}${type}`)
    throw new CodecError(`contract type error, expected type [${type}], real type[${url}]`)
  return { type, value: decodeMessage(contractKinds[type].schema as Schema, bytesIn(any, 2)) } as Contract
}

/**
 * java-tron serialises raw_data again before it hashes: unknown fields and other encodings are not part of the
 * signature.
 */
export const signedTransaction = (raw: RawTransaction, signatures: readonly Uint8Array[]): SignedTransaction => {
  const rawBytes = encodeRaw(raw)
  return { id: hexOf(sha256(rawBytes)), raw, rawBytes, signatures }
}

/** Throws CodecError. */
export const decodeTransaction = (bytes: Uint8Array): SignedTransaction => {
  const fields = readFields(bytes)
  return signedTransaction(decodeRaw(bytesIn(fields, 1)), listIn(fields, 2))
}

export const encodeTransaction = ({ rawBytes, signatures }: SignedTransaction): Uint8Array =>
  concat(bytesField(1, rawBytes, true), ...signatures.map((signature) => bytesField(2, signature)))
