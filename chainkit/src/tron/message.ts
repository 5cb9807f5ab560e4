import { fromHex, toHex } from '../evm/hex.ts'
import type { Hex } from '../evm/hex.ts'
import { addressBytes, addressOfBytes } from './address.ts'
import { readFields, writeFields } from './wire.ts'
import type { WireField } from './wire.ts'

/**
 * Resource that stake yields (`ResourceCode` in common.proto). TRON_POWER, which only counts for votes, is not
 * supported.
 */
export type Resource = 'BANDWIDTH' | 'ENERGY'

const RESOURCES: readonly Resource[] = ['BANDWIDTH', 'ENERGY']
const INT64 = 2n ** 63n

/** TypeScript type of each kind of field: text, bytes as 0x hex, bytes, a non-negative number, a boolean. */
interface Values {
  address: string
  hex: Hex
  bytes: Uint8Array
  int64: bigint
  flag: boolean
  resource: Resource
}

type Kind = keyof Values

/** Fields of a message by name, in ascending order of their numbers. */
export type Fields = Readonly<Record<string, readonly [number: number, kind: Kind]>>

/** A message with these fields. */
export type MessageOf<F extends Fields> = { [Name in keyof F]: Values[F[Name][1]] }

type Codec<V> = { write(value: V): bigint | Uint8Array; read(value: bigint | Uint8Array | undefined): V }

const CODECS: { [K in Kind]: Codec<Values[K]> } = {
  address: { write: addressBytes, read: (value) => addressOfBytes(bytesOf(value)) },
  hex: { write: fromHex, read: (value) => toHex(bytesOf(value)) },
  bytes: { write: (value) => value, read: bytesOf },
  int64: { write: inRange, read: (value) => inRange(numberOf(value)) },
  flag: { write: (value) => (value ? 1n : 0n), read: (value) => choice([false, true], value) },
  resource: { write: (value) => BigInt(RESOURCES.indexOf(value)), read: (value) => choice(RESOURCES, value) },
}

/** Throws a RangeError when a value can't be written. */
export function encodeMessage<F extends Fields>(fields: F, message: MessageOf<F>): Uint8Array {
  const written = Object.entries(fields).map(([name, [number, kind]]): WireField => ({
    number,
    value: (CODECS[kind] as Codec<unknown>).write(message[name]),
  }))
  return writeFields(written.filter(({ value }) => value !== 0n && (typeof value === 'bigint' || value.length > 0)))
}

/** Throws a RangeError when the bytes differ from those that `encodeMessage` writes for these fields. */
export function decodeMessage<F extends Fields>(fields: F, bytes: Uint8Array): MessageOf<F> {
  const found = new Map(readFields(bytes).map(({ number, value }) => [number, value]))
  const message = Object.entries(fields).map(([name, [number, kind]]) => {
    const value = CODECS[kind].read(found.get(number))
    found.delete(number)
    return [name, value]
  })
  for (const number of found.keys()) throw new RangeError(`field ${number} is not one we know`)
  return Object.fromEntries(message) as MessageOf<F>
}

function bytesOf(value: bigint | Uint8Array | undefined): Uint8Array {
  if (typeof value === 'bigint') throw new RangeError('a number stands where bytes belong')
  return value ?? new Uint8Array()
}

function numberOf(value: bigint | Uint8Array | undefined): bigint {
  if (value instanceof Uint8Array) throw new RangeError('bytes stand where a number belongs')
  return value ?? 0n
}

/** Amounts and times are int64; negative values have no meaning on TRON. */
function inRange(value: bigint): bigint {
  if (value < 0n || value >= INT64) throw new RangeError('a number is negative or does not fit in int64')
  return value
}

function choice<T>(choices: readonly T[], value: bigint | Uint8Array | undefined): T {
  const number = numberOf(value)
  if (number >= BigInt(choices.length)) throw new RangeError(`${number} is not a choice we know`)
  return choices[Number(number)]!
}
