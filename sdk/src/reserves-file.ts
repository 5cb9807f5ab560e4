import { ReserveProofError } from './errors.ts'
import type { SumNode } from './reserves-tree.ts'

/** The figures of one asset in a report, in integer units of `scale` decimals. */
export interface ReserveAsset {
  readonly ticker: string
  readonly scale: number
  readonly liabilities: bigint
  readonly suspense: bigint
  readonly quarantine: bigint
  readonly inTransit: bigint
  readonly reserves: readonly {
    readonly network: string
    readonly height: number
    readonly hash: string
    readonly units: bigint
  }[]
}

/** A proof file that was parsed and has the right shape; its content is not verified yet. */
export interface ReserveFile {
  readonly statement: string
  readonly id: string
  readonly takenAt: string
  readonly merchants: number
  readonly assets: readonly ReserveAsset[]
  readonly root: SumNode
  readonly commitment: string
  readonly signed: { readonly publicKey: string; readonly signature: string } | null
  readonly merchantId: string
  readonly salt: Uint8Array
  readonly position: number
  readonly balances: readonly bigint[]
  readonly path: readonly SumNode[]
}

const FORMAT = 'bursar-reserves-1'
type Fields = Readonly<Record<string, unknown>>

const malformed = (what: string): never => {
  throw new ReserveProofError('malformed', `${what} is not what a proof has there`)
}
const object = (value: unknown, what: string): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : malformed(what)
const list = (value: unknown, what: string): readonly unknown[] => (Array.isArray(value) ? value : malformed(what))
const text = (value: unknown, what: string): string =>
  typeof value === 'string' && value !== '' ? value : malformed(what)
const whole = (value: unknown, what: string, most: number): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most ? value : malformed(what)
const hex = (value: unknown, what: string, bytes: number): string =>
  typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value) ? value : malformed(what)

/** Accepts digits only: no sign, no exponent, so that a number has one representation. */
const units = (value: unknown, what: string): bigint =>
  typeof value === 'string' && /^(0|[1-9]\d{0,77})$/.test(value) ? BigInt(value) : malformed(what)

/**
 * Accepts a negative number too: a mistake in a report may make the chain's balance negative, and it is shown as it is.
 */
const signedUnits = (value: unknown, what: string): bigint =>
  typeof value === 'string' && value.startsWith('-') ? -units(value.slice(1), what) : units(value, what)

const unitsList = (value: unknown, what: string, length: number): bigint[] => {
  const all = list(value, what)
  return all.length === length ? all.map((one) => units(one, what)) : malformed(what)
}

const json = (given: string, what: string): unknown => {
  try {
    return JSON.parse(given)
  } catch {
    return malformed(what)
  }
}

const assetOf = (value: unknown): ReserveAsset => {
  const fields = object(value, 'an asset')
  return {
    ticker: text(fields['ticker'], 'a ticker'),
    scale: whole(fields['scale'], 'a scale', 30),
    liabilities: units(fields['liabilities'], 'liabilities'),
    suspense: units(fields['suspense'], 'suspense'),
    quarantine: units(fields['quarantine'], 'quarantine'),
    inTransit: signedUnits(fields['inTransit'], 'inTransit'),
    reserves: list(fields['reserves'], 'reserves').map((one) => {
      const reserve = object(one, 'a reserve')
      return {
        network: text(reserve['network'], 'a network'),
        height: whole(reserve['height'], 'a height', Number.MAX_SAFE_INTEGER),
        hash: text(reserve['hash'], 'a block'),
        units: signedUnits(reserve['units'], 'a reserve'),
      }
    }),
  }
}

const nodeOf = (value: unknown, what: string, assets: number): SumNode => {
  const fields = object(value, what)
  return { hash: Buffer.from(hex(fields['hash'], what, 32), 'hex'), sums: unitsList(fields['sums'], what, assets) }
}

/** Parses a proof file's JSON. Throws a `ReserveProofError` with the code `malformed`. */
export const readReserveFile = (given: string): ReserveFile => {
  const file = object(json(given, 'the file'), 'the file')
  const statement = text(file['statement'], 'the statement')
  const said = object(json(statement, 'the statement'), 'the statement')
  if (said['format'] !== FORMAT) malformed('the format')
  const assets = list(said['assets'], 'the assets').map(assetOf)
  if (new Set(assets.map(({ ticker }) => ticker)).size !== assets.length) malformed('an asset listed twice')
  const signed = file['signed'] === null ? null : object(file['signed'], 'the signature')
  return {
    statement,
    id: text(said['id'], 'the id'),
    takenAt: text(said['takenAt'], 'the time'),
    merchants: whole(said['merchants'], 'the number of merchants', 2 ** 31),
    assets,
    root: nodeOf(file['root'], 'the root', assets.length),
    commitment: hex(file['commitment'], 'the commitment', 32),
    signed: signed && {
      publicKey: hex(signed['publicKey'], 'the public key', 32),
      signature: hex(signed['signature'], 'the signature', 64),
    },
    merchantId: text(file['merchantId'], 'the merchant'),
    salt: Buffer.from(hex(file['salt'], 'the salt', 32), 'hex'),
    position: whole(file['position'], 'the position', 2 ** 31),
    balances: unitsList(file['balances'], 'the balances', assets.length),
    path: list(file['path'], 'the path').map((one) => nodeOf(one, 'the path', assets.length)),
  }
}
