import { concatBytes } from '@noble/hashes/utils.js'

/** A field of a protobuf message: a number, or bytes (text, bytes or a message inside). */
export interface WireField {
  number: number
  value: bigint | Uint8Array
}

/** The two wire types TRON's messages use (protobuf encoding, "Message Structure"). */
const VARINT = 0n
const BYTES = 2n
const UINT64 = 2n ** 64n

export function writeFields(fields: readonly WireField[]): Uint8Array {
  return concatBytes(
    ...fields.flatMap(({ number, value }) => {
      const tag = (type: bigint): Uint8Array => writeVarint((BigInt(number) << 3n) | type)
      return typeof value === 'bigint'
        ? [tag(VARINT), writeVarint(value)]
        : [tag(BYTES), writeVarint(BigInt(value.length)), value]
    }),
  )
}

function writeVarint(value: bigint): Uint8Array {
  if (value < 0n || value >= UINT64) throw new RangeError('a number does not fit in 64 bits')
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Uint8Array.from([...bytes, Number(rest)])
}

/**
 * Parses a message as a proto3 serialiser writes it: fields in ascending order, each once, no default values, each
 * number in the fewest bytes. Throws a RangeError for any other encoding, so that one message has one hash.
 */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = []
  let at = 0
  let last = 0n
  const varint = (): bigint => {
    const read = readVarint(bytes, at)
    at = read.next
    return read.value
  }
  const take = (length: bigint): Uint8Array => {
    if (length > BigInt(bytes.length - at)) throw new RangeError('a field is longer than the message')
    at += Number(length)
    return bytes.slice(at - Number(length), at)
  }
  while (at < bytes.length) {
    const tag = varint()
    const [number, type] = [tag >> 3n, tag & 7n]
    if (number <= last || number > 0xffffn) throw new RangeError('its fields are not in order, each once')
    if (type !== VARINT && type !== BYTES) throw new RangeError(`field ${number} has wire type ${type}`)
    const value = type === VARINT ? varint() : take(varint())
    if (value === 0n || (typeof value !== 'bigint' && value.length === 0)) {
      throw new RangeError(`field ${number} is a default written out`)
    }
    last = number
    fields.push({ number: Number(number), value })
  }
  return fields
}

function readVarint(bytes: Uint8Array, from: number): { value: bigint; next: number } {
  let value = 0n
  for (let at = from; ; at += 1) {
    const byte = bytes[at]
    if (byte === undefined) throw new RangeError('it ends within a number')
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - from))
    if (value >= UINT64) throw new RangeError('a number does not fit in 64 bits')
    if (byte < 0x80) {
      if (byte === 0 && at > from) throw new RangeError('a number is not in its fewest bytes')
      return { value, next: at + 1 }
    }
  }
}
