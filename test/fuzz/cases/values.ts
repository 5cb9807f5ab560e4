/** Values that fit the fields of the contract, drawn by the schema, and bodies and queries made of them. */
import type { Operation } from '@bursar/contract'
import type { Random } from '../../../sandbox/random.ts'
import { CARD, OUTSIDE, PAYABLE, type FuzzWorld } from '../objects.ts'
import { isList, listFields } from './list-fields.ts'

export interface Schema {
  type?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
}

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

const TEXTS = [
  'your-info',
  'Order 7',
  '№ 7 «чай»',
  '👩‍👩‍👧 é é',
  '‮evil',
  "'; drop table merchants; --",
  '${7*7}{{7*7}}',
  '<script>fuzz</script>',
  '%00%0d%0aSet-Cookie: a=b',
  '\\"\n\t\r',
  '__proto__',
  'null',
  ' ',
] as const

/** A text that no other case has. */
export const freshName = (random: Random): string => `f-${random.bytes(8).toString('hex')}`

export const textOf = (random: Random, least: number, most: number): string => {
  const text = random.chance(0.2) ? random.pick(TEXTS).repeat(1 + random.int(20)) : random.pick(TEXTS)
  const cut = [...text].slice(0, Math.max(least, Math.min(most, 200))).join('')
  return cut.length >= least ? cut : 'x'.repeat(least)
}

/** A value that fits the field, as far as its own schema says. */
export const valueOf = (name: string, schema: Schema, random: Random): Json => {
  if (schema.enum !== undefined) return random.pick(schema.enum) as Json
  if (schema.anyOf !== undefined) {
    const chosen = random.pick(schema.anyOf)
    if (chosen.type !== 'string') return valueOf(name, chosen, random)
    return JSON.stringify(valueOf(name, schema.anyOf.find(({ type }) => type !== 'string') ?? chosen, random))
  }
  if (schema.type === 'object') return objectOf(schema, random)
  if (schema.type === 'boolean') return random.chance(0.5)
  if (schema.type === 'integer') {
    const [least, most] = [schema.minimum ?? 0, schema.maximum ?? 1_000]
    return random.pick([least, most, least + random.int(most - least + 1)])
  }
  return stringOf(name, schema, random)
}

const stringOf = (name: string, { minLength = 0, maxLength = 64, pattern }: Schema, random: Random): string => {
  if (/ticker/i.test(name)) return random.pick(['BTC', 'ETH', 'BNB', 'TRX', 'USDT', 'USDC', 'UAH', 'KZT'])
  if (/blockchain/i.test(name)) return random.pick(Object.keys(OUTSIDE))
  if (/^(to|address|targetAddress)$/.test(name))
    return pattern === undefined ? random.pick(Object.values(OUTSIDE)) : CARD
  if (name === 'email') return random.pick(['payer@example.com', 'a+b@xn--e1afmkfd.example'])
  if (name === 'redirectUrl') return 'https://shop.example/thanks?a=1'
  if (/localId/i.test(name)) return freshName(random)
  if (name === 'after') return String(random.int(10))
  if (name === 'limit') return String(1 + random.int(50))
  // Amounts: all other fields with a pattern of digits.
  if (pattern?.includes('\\d') === true)
    return random.pick(['1', '10', '100.5', '0.01', '25', '1000', '20000', '007.50'])
  return textOf(random, minLength, maxLength)
}

const objectOf = ({ properties = {}, required = [] }: Schema, random: Random): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      required.includes(name) || random.chance(0.5) ? [[name, valueOf(name, schema, random)]] : [],
    ),
  )

/** A body that the schema accepts; of an operation that moves money usually one that is carried out. */
export const bodyOf = (operation: Operation, world: FuzzWorld, random: Random): JsonObject => {
  const order = operation.movesMoney && random.chance(0.9)
  if (order) {
    const { body } = random.pick(world.orders.filter((one) => one.operation === operation.id))
    return {
      ...body,
      ...(random.chance(0.8) && { localId: freshName(random) }),
      ...(random.chance(0.5) && { meta: textOf(random, 0, 2_048) }),
    }
  }
  const body = objectOf(operation.body as unknown as Schema, random)
  return matched(body, random)
}

/** Fields that must agree with each other agree. */
const matched = (body: JsonObject, random: Random): JsonObject => {
  const [ticker, blockchain, amount] = random.pick(PAYABLE)
  const fitting: JsonObject = { ...body }
  if ('to' in body && 'blockchain' in body)
    Object.assign(fitting, { ticker, blockchain, amount, to: OUTSIDE[blockchain]! })
  if (isObject(body['amount'])) {
    fitting['amount'] =
      'blockchain' in body['amount'] || 'clientDuration' in body
        ? { ticker, blockchain, value: amount }
        : { ...body['amount'] }
  }
  if (isObject(body['baseAmount'])) fitting['baseAmount'] = { value: '100', ticker: random.pick(['UAH', 'USD', 'EUR']) }
  if (isObject(body['target'])) {
    fitting['target'] = 'address' in body['target'] ? { ticker, address: OUTSIDE[blockchain]!, blockchain } : { ticker }
  }
  if (body['toPendingImmediate'] === true && !isObject(fitting['amount'])) delete fitting['toPendingImmediate']
  delete fitting['clientDuration']
  return fitting
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Pairs of a query that the schema accepts. */
export const queryOf = (operation: Operation, world: FuzzWorld, random: Random): [string, string][] => {
  if (operation.query === null) return []
  const drawn = objectOf(operation.query as unknown as Schema, random)
  const order = world.orders.filter(({ path }) => operation.path === `${path}/estimate`)
  if (order.length > 0 && random.chance(0.8)) {
    for (const [name, value] of Object.entries(random.pick(order).body))
      if (name in (operation.query.properties as object) && name !== 'price') drawn[name] = value
  }
  if (isList(operation)) {
    for (const [name, value] of Object.entries(listFields(operation, world, random)))
      if (name in drawn) drawn[name] = value
    if (('amountFrom' in drawn || 'amountTo' in drawn) && random.chance(0.9)) drawn['ticker'] = 'USDT'
  }
  if (operation.id === 'listBalances') drawn['tickers'] = random.pick(['BTC', 'UAH,USDT,BTC', 'KZT,TRX'])
  if (operation.id === 'getCryptoWithdrawalFee' && random.chance(0.8)) {
    const [ticker, blockchain, amount] = random.pick(PAYABLE)
    Object.assign(drawn, { ticker, blockchain, amount })
    if ('address' in drawn) drawn['address'] = random.pick([OUTSIDE[blockchain]!, 'undefined'])
  }
  if (operation.id === 'getFiatWithdrawalFee') drawn['ticker'] = random.pick(['UAH', 'KZT'])
  return Object.entries(drawn).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** As a client encodes it. */
export const encodeQuery = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')

export const withQuery = (path: string, pairs: readonly (readonly [string, string])[]): string =>
  pairs.length === 0 ? path : `${path}?${encodeQuery(pairs)}`

/** One of the paths of an operation. */
export const pathOf = ({ path, aliases }: Operation, random: Random): string =>
  random.pick([path, path, ...aliases.map((alias) => alias.path)])
