import { NETWORKS } from '@bursar/chainkit'
import type { Approval, CheckRequest, GivenApproval, Intent, KeyReference, SignRequest } from './protocol.ts'
import { Refusal } from './refusal.ts'
import { ShapeError, readChoice, readInteger, readList, readObject, readText, readUnits } from './shape.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const TICKER = /^[A-Z0-9]{1,16}$/
export const APPROVER_ID = /^[a-z0-9._-]{1,64}$/
export const ADDRESS_TEXT = /^[A-Za-z0-9]{1,128}$/
const HEX = /^(0x)?([0-9a-f]{2})+$/
const SIGNATURE = /^[0-9a-f]{128}$/
const MAX_INTENTS = 500
const MAX_KEYS = 1500
/** For batches on Bitcoin of 50 payments with five approvals each. */
const MAX_APPROVALS = 250
const MAX_INDEX = 2 ** 31 - 1
/** The latest time of which JavaScript can write the date, in ms since the epoch. */
export const LATEST_TIME = 8_640_000_000_000_000

/** Parses the body of `POST /sign`. Throws the Refusal `bad-request`, which names the faulty place. */
export function readSignRequest(body: string): SignRequest {
  return readOr(body, readRequest)
}

function readOr<T>(body: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(body))
  } catch (error) {
    if (error instanceof ShapeError) throw new Refusal('bad-request', error.message)
    if (error instanceof SyntaxError) throw new Refusal('bad-request', 'The body is not JSON')
    throw error
  }
}

/** Parses the body of `POST /check`. Throws the Refusal `bad-request`, which names the faulty place. */
export function readCheckRequest(body: string): CheckRequest {
  return readOr(body, (value) => {
    const { network, intents, approvals } = readObject(value, 'request', ['network', 'intents'], ['approvals'])
    return {
      network: readChoice(network, 'network', NETWORKS),
      intents: readList(intents, 'intents', MAX_INTENTS).map(readIntent),
      approvals: readList(approvals ?? [], 'approvals', MAX_APPROVALS).map(readApproval),
    }
  })
}

/** Parses the body of `POST /approvals`. Throws the Refusal `bad-request`, which names the faulty place. */
export function readGivenApproval(body: string): GivenApproval {
  return readOr(body, (value) => {
    const { network, intentId, ...approval } = readObject(value, 'request', [
      'network',
      'intentId',
      'keyId',
      'expiresAt',
      'signature',
    ])
    return {
      network: readChoice(network, 'network', NETWORKS),
      intentId: readText(intentId, 'intentId', UUID, 'a UUID in lower case'),
      ...readApproval(approval, 0),
    }
  })
}

function readRequest(value: unknown): SignRequest {
  const required = ['network', 'transactionId', 'purpose', 'intents', 'unsigned', 'keys']
  const fields = readObject(value, 'request', required, ['approvals', 'receiver'])
  const purpose = readChoice(fields['purpose'], 'purpose', [
    'payout',
    'filler',
    'treasury',
    'sweep',
    'consolidation',
    'cold',
    'rebalance',
  ] as const)
  const intents = readList(fields['intents'], 'intents', MAX_INTENTS).map(readIntent)
  if (new Set(intents.map(({ id }) => id)).size !== intents.length) {
    throw new ShapeError('intents names one intent twice')
  }
  if (purpose === 'payout' && intents.length === 0) throw new ShapeError('intents must not be empty for a payout')
  if (purpose === 'cold' && intents.length !== 1) throw new ShapeError('intents must be one for purpose cold')
  if (purpose !== 'payout' && purpose !== 'cold' && intents.length > 0)
    throw new ShapeError(`intents must be empty for purpose ${purpose}`)
  const receiver = fields['receiver']
  const mayReceive = purpose === 'treasury' || (purpose === 'sweep' && fields['network'] === 'TRON')
  if (!mayReceive && receiver !== undefined)
    throw new ShapeError('receiver is for treasury only, and for sweeps on TRON')
  return {
    network: readChoice(fields['network'], 'network', NETWORKS),
    transactionId: readText(fields['transactionId'], 'transactionId', UUID, 'a UUID in lower case'),
    purpose,
    intents,
    unsigned: readText(fields['unsigned'], 'unsigned', HEX, 'bytes in lower-case hex'),
    keys: readList(fields['keys'], 'keys', MAX_KEYS).map((key, position) => readKey(key, `keys[${position}]`)),
    ...(receiver !== undefined && { receiver: readKey(receiver, 'receiver') }),
    approvals: readList(fields['approvals'] ?? [], 'approvals', MAX_APPROVALS).map(readApproval),
  }
}

function readIntent(value: unknown, index: number): Intent {
  const at = `intents[${index}]`
  const { id, asset, to, units } = readObject(value, at, ['id', 'asset', 'to', 'units'])
  if (readUnits(units, `${at}.units`) === 0n) throw new ShapeError(`${at}.units must be above 0`)
  return {
    id: readText(id, `${at}.id`, UUID, 'a UUID in lower case'),
    asset: readText(asset, `${at}.asset`, TICKER, 'a ticker in upper case'),
    to: readText(to, `${at}.to`, ADDRESS_TEXT, 'an address'),
    units: units as string,
  }
}

function readKey(value: unknown, at: string): KeyReference {
  const { account, branch, index } = readObject(value, at, ['account', 'branch', 'index'])
  return {
    account: readChoice(account, `${at}.account`, ['deposit', 'hot'] as const),
    branch: readInteger(branch, `${at}.branch`, 0, 1) as 0 | 1,
    index: readInteger(index, `${at}.index`, 0, MAX_INDEX),
  }
}

function readApproval(value: unknown, index: number): Approval {
  const at = `approvals[${index}]`
  const { keyId, expiresAt, signature } = readObject(value, at, ['keyId', 'expiresAt', 'signature'])
  return {
    keyId: readText(keyId, `${at}.keyId`, APPROVER_ID, "an approver's id"),
    expiresAt: readInteger(expiresAt, `${at}.expiresAt`, 0, LATEST_TIME),
    signature: readText(signature, `${at}.signature`, SIGNATURE, '64 bytes in lower-case hex'),
  }
}
