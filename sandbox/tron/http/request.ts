/** Reads the fields of a request from the query or a JSON body. An invalid field throws java-tron's error. */
import { addressOf } from '../address.ts'
import type { Address } from '../address.ts'
import { objectOf } from '../codec/json.ts'
import type { Json } from '../codec/json.ts'

/** Answered as `{"Error": "class ... : ..."}`, with status 200, as java-tron does. */
export class JavaError extends Error {
  override name = 'JavaError'
  readonly exception: string

  constructor(exception: string, message: string) {
    super(message)
    this.exception = exception
  }
}

export interface Fields {
  readonly all: Json
  readonly visible: boolean
  readonly has: (name: string) => boolean
  readonly text: (name: string) => string
  /** Absent: ''. */
  readonly optionalText: (name: string) => string
  readonly address: (name: string) => Address
  readonly integer: (name: string, absent?: bigint) => bigint
  readonly flag: (name: string) => boolean
}

export const readRequest = (input: unknown): Fields => {
  const all = objectOf(input)
  const absent = (name: string): JavaError =>
    new JavaError('java.security.InvalidParameterException', `${name} isn't set.`)
  const has = (name: string): boolean => all[name] !== undefined && all[name] !== null && all[name] !== ''
  const text = (name: string): string => {
    const value = all[name]
    if (!has(name)) throw absent(name)
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
      throw new JavaError('com.alibaba.fastjson.JSONException', `${name}: expected a string`)
    return String(value)
  }
  return {
    all,
    visible: all['visible'] === true || all['visible'] === 'true',
    has,
    text,
    optionalText: (name) => (has(name) ? text(name) : ''),
    address: (name) => {
      try {
        return addressOf(text(name))
      } catch (error) {
        if (error instanceof JavaError) throw error
        throw new JavaError('org.tron.core.services.http.JsonFormat$ParseException', `INVALID address ${name}`)
      }
    },
    integer: (name, usual) => {
      if (!has(name) && usual !== undefined) return usual
      const value = text(name)
      if (!/^-?\d{1,19}$/.test(value))
        throw new JavaError('java.lang.NumberFormatException', `For input string: "${value.slice(0, 80)}"`)
      return BigInt(value)
    },
    flag: (name) => all[name] === true || all[name] === 'true',
  }
}
