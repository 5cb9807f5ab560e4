/** Describes messages as data, for both the bytes and the JSON of java-tron. */
import { bytesOf, hexOf, noBytes, textBytes } from '../bytes.ts'
import { bytesField, bytesIn, CodecError, integerField, integerIn, listIn, readFields } from './wire.ts'
import type { Fields } from './wire.ts'

export type Kind =
  | 'address'
  | 'bytes'
  | 'text'
  | 'int64'
  | 'bool'
  | { readonly names: readonly string[] }
  | { readonly message: Schema }
  | { readonly list: Schema }

/** Field names as in TRON's .proto files, each with its number. */
export type Schema = { readonly [name: string]: readonly [number: number, kind: Kind] }

type ValueOf<K> = K extends 'address' | 'text'
  ? string
  : K extends 'bytes'
    ? Uint8Array
    : K extends 'int64'
      ? bigint
      : K extends 'bool'
        ? boolean
        : K extends { names: readonly (infer N)[] }
          ? N
          : K extends { message: infer S extends Schema }
            ? MessageOf<S> | undefined
            : K extends { list: infer S extends Schema }
              ? readonly MessageOf<S>[]
              : never

/**
 * An address is a string of hexadecimal digits of any length, because contracts check it. Enumerations are their names.
 */
export type MessageOf<S extends Schema> = { readonly [N in keyof S]: ValueOf<S[N][1]> }

type Loose = { readonly [name: string]: unknown }

/** Encodes fields in the order of their numbers, as every implementation of protobuf does. */
export const encodeMessage = <S extends Schema>(schema: S, message: MessageOf<S>): Uint8Array => {
  const fields = Object.entries(schema).sort(([, [a]], [, [b]]) => a - b)
  return new Uint8Array(
    Buffer.concat(fields.map(([name, [number, kind]]) => encodeField(number, kind, (message as Loose)[name]))),
  )
}

const encodeField = (number: number, kind: Kind, value: unknown): Uint8Array => {
  if (typeof kind === 'object') {
    if ('names' in kind) return integerField(number, BigInt(kind.names.indexOf(value as string)))
    if ('list' in kind)
      return new Uint8Array(
        Buffer.concat(
          (value as MessageOf<Schema>[]).map((one) => bytesField(number, encodeMessage(kind.list, one), true)),
        ),
      )
    if (value === undefined) return noBytes
    return bytesField(number, encodeMessage(kind.message, value as MessageOf<Schema>), true)
  }
  switch (kind) {
    case 'int64':
      return integerField(number, value as bigint)
    case 'bool':
      return integerField(number, value === true ? 1n : 0n)
    case 'text':
      return bytesField(number, textBytes(value as string))
    case 'address':
      return bytesField(number, bytesOf(value as string))
    case 'bytes':
      return bytesField(number, value as Uint8Array)
  }
}

/** Parses a message. Fields that the schema does not name are ignored. Throws CodecError. */
export const decodeMessage = <S extends Schema>(schema: S, bytes: Uint8Array): MessageOf<S> => {
  const fields = readFields(bytes)
  return Object.fromEntries(
    Object.entries(schema).map(([name, [number, kind]]) => [name, decodeField(fields, number, kind)]),
  ) as MessageOf<S>
}

const decodeField = (fields: Fields, number: number, kind: Kind): unknown => {
  if (typeof kind === 'object') {
    if ('names' in kind) {
      const name = kind.names[Number(integerIn(fields, number))]
      if (name === undefined) throw new CodecError(`field ${number} has no value ${integerIn(fields, number)}`)
      return name
    }
    if ('list' in kind) return listIn(fields, number).map((one) => decodeMessage(kind.list, one))
    return fields.has(number) ? decodeMessage(kind.message, bytesIn(fields, number)) : undefined
  }
  switch (kind) {
    case 'int64':
      return integerIn(fields, number)
    case 'bool':
      return integerIn(fields, number) !== 0n
    case 'text':
      return Buffer.from(bytesIn(fields, number)).toString('utf8')
    case 'address':
      return hexOf(bytesIn(fields, number))
    case 'bytes':
      return bytesIn(fields, number)
  }
}
