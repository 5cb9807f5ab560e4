/**
 * Converts messages to and from java-tron's JSON: names of the .proto files, zero and empty fields omitted, bytes in
 * hexadecimal, addresses in hexadecimal or, if the request is `visible`, in base58.
 */
import { addressOf, base58Of, isAddress } from '../address.ts'
import { bytesOf, hexOf, noBytes } from '../bytes.ts'
import type { Kind, MessageOf, Schema } from './schema.ts'

/** Thrown for JSON that does not fit a message. */
export class JsonError extends Error {
  override name = 'JsonError'
}

export type Json = { [name: string]: unknown }

export const addressJson = (address: string, visible: boolean): string =>
  visible && isAddress(address) ? base58Of(address) : address

export const messageJson = <S extends Schema>(schema: S, message: MessageOf<S>, visible: boolean): Json => {
  const json: Json = {}
  for (const [name, [, kind]] of Object.entries(schema)) {
    const value = valueJson(kind, (message as Json)[name], visible)
    if (value !== undefined) json[name] = value
  }
  return json
}

const valueJson = (kind: Kind, value: unknown, visible: boolean): unknown => {
  if (typeof kind === 'object') {
    if ('names' in kind) return value === kind.names[0] ? undefined : value
    if ('list' in kind) {
      const list = value as MessageOf<Schema>[]
      return list.length === 0 ? undefined : list.map((one) => messageJson(kind.list, one, visible))
    }
    return value === undefined ? undefined : messageJson(kind.message, value as MessageOf<Schema>, visible)
  }
  switch (kind) {
    case 'int64':
      return value === 0n ? undefined : value
    case 'bool':
      return value === true ? true : undefined
    case 'text':
      return value === '' ? undefined : value
    case 'address':
      return value === '' ? undefined : addressJson(value as string, visible)
    case 'bytes':
      return (value as Uint8Array).length === 0 ? undefined : hexOf(value as Uint8Array)
  }
}

/** Throws JsonError. Fields that the message does not have are ignored. */
export const messageFromJson = <S extends Schema>(schema: S, json: unknown, visible: boolean): MessageOf<S> => {
  const object = objectOf(json)
  return Object.fromEntries(
    Object.entries(schema).map(([name, [, kind]]) => [name, valueFromJson(name, kind, object[name], visible)]),
  ) as MessageOf<S>
}

const valueFromJson = (name: string, kind: Kind, value: unknown, visible: boolean): unknown => {
  if (typeof kind === 'object') {
    if ('names' in kind) return nameFromJson(name, kind.names, value)
    if ('list' in kind) return listOf(value ?? []).map((one) => messageFromJson(kind.list, one, visible))
    return value === undefined || value === null ? undefined : messageFromJson(kind.message, value, visible)
  }
  switch (kind) {
    case 'int64':
      return integerOf(value ?? 0n, name)
    case 'bool':
      return value === true || value === 'true' || value === 1
    case 'text':
      return value === undefined || value === null ? '' : textOf(value, name)
    case 'address':
      return value === undefined || value === null || value === '' ? '' : addressFromJson(name, value, visible)
    case 'bytes':
      return value === undefined || value === null ? noBytes : hexFromJson(name, value)
  }
}

const nameFromJson = (name: string, names: readonly string[], value: unknown): string => {
  if (value === undefined || value === null) return names[0] as string
  const found = typeof value === 'number' ? names[value] : names.find((one) => one === value || one === capital(value))
  if (found === undefined) throw new JsonError(`INVALID ${name}: one of ${names.join(', ')}`)
  return found
}

/** java-tron takes names that are all lower case, as Solidity writes them, for capitalised ones. */
const capital = (name: unknown): unknown =>
  typeof name === 'string' && /^[a-z]+$/.test(name) ? name.charAt(0).toUpperCase() + name.slice(1) : name

const addressFromJson = (name: string, value: unknown, visible: boolean): string => {
  const text = textOf(value, name)
  if (visible && text.startsWith('T')) {
    try {
      return addressOf(text)
    } catch {
      throw new JsonError(`INVALID address ${name}: ${text.slice(0, 80)}`)
    }
  }
  return hexOf(hexFromJson(name, value))
}

const hexFromJson = (name: string, value: unknown): Uint8Array => {
  try {
    return bytesOf(textOf(value, name))
  } catch {
    throw new JsonError(`INVALID hex String ${name}`)
  }
}

/** An object, or JsonError. */
export const objectOf = (value: unknown): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonError('expected an object')
  return value as Json
}

export const listOf = (value: unknown): unknown[] => {
  if (!Array.isArray(value)) throw new JsonError('expected an array')
  return value
}

const textOf = (value: unknown, name: string): string => {
  if (typeof value !== 'string') throw new JsonError(`${name}: expected a string`)
  return value
}

/** java-tron refuses numbers written as strings in a message's JSON. */
export const integerOf = (value: unknown, name: string): bigint => {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new JsonError(`${name}: expected a whole number`)
  return BigInt(value)
}
