/**
 * The wire format of protobuf, as far as TRON's transactions use it: varints and length-delimited fields.
 * Source: protobuf.dev/programming-guides/encoding.
 */
import { concat, noBytes } from '../bytes.ts'

/** Thrown for bytes that are not a message. */
export class CodecError extends Error {
  override name = 'CodecError'
}

/** The fields of a message by number, each with its values in order. int64 is signed. */
export type Fields = ReadonlyMap<number, readonly (bigint | Uint8Array)[]>

const varintType = 0
const bytesType = 2

/** A negative int64 takes ten bytes, as in two's complement. */
export const encodeVarint = (value: bigint): Uint8Array => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}

/** proto3 leaves zero out. */
export const integerField = (number: number, value: bigint): Uint8Array =>
  value === 0n ? noBytes : concat(encodeVarint(BigInt(number * 8 + varintType)), encodeVarint(value))

/** proto3 leaves empty bytes out, but not an empty message: `evenEmpty`. */
export const bytesField = (number: number, value: Uint8Array, evenEmpty = false): Uint8Array =>
  value.length === 0 && !evenEmpty
    ? noBytes
    : concat(encodeVarint(BigInt(number * 8 + bytesType)), encodeVarint(BigInt(value.length)), value)

/** Parses the fields of a message. Throws CodecError. */
export const readFields = (bytes: Uint8Array): Fields => {
  const fields = new Map<number, (bigint | Uint8Array)[]>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new CodecError('the message is cut short')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, value)
    }
    throw new CodecError('a number is longer than ten bytes')
  }
  while (at < bytes.length) {
    const key = varint()
    const [number, type] = [Number(key >> 3n), Number(key & 7n)]
    if (number < 1 || number > 0x1fffffff) throw new CodecError(`there is no field ${number}`)
    const values = fields.get(number) ?? []
    fields.set(number, values)
    if (type === varintType) values.push(varint())
    else if (type === bytesType) {
      const length = varint()
      if (length < 0n || length > BigInt(bytes.length - at)) throw new CodecError('the message is cut short')
      values.push(bytes.slice(at, at + Number(length)))
      at += Number(length)
    } else throw new CodecError(`field ${number} has the wire type ${type}, which nothing here uses`)
  }
  return fields
}

/** Returns the last value of a field. Throws CodecError if its type differs. */
export const integerIn = (fields: Fields, number: number): bigint => {
  const value = fields.get(number)?.at(-1) ?? 0n
  if (typeof value !== 'bigint') throw new CodecError(`field ${number} is no number`)
  return value
}

export const bytesIn = (fields: Fields, number: number): Uint8Array => {
  const value = fields.get(number)?.at(-1) ?? noBytes
  if (typeof value === 'bigint') throw new CodecError(`field ${number} is a number`)
  return value
}

export const listIn = (fields: Fields, number: number): Uint8Array[] =>
  (fields.get(number) ?? []).map((value) => {
    if (typeof value === 'bigint') throw new CodecError(`field ${number} is a number`)
    return value
  })
