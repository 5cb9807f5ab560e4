/** Kinds of arguments and options that all commands share. They are validated before a command runs. */
import { NETWORKS, type Network } from '@bursar/chainkit'
import { isUuid } from '../../platform/base/id.ts'
import { similarWord } from '../../platform/base/similar.ts'
import { UsageError, type Option } from './command.ts'

/** Arguments that are ids, and the command that lists those ids. */
const LISTED_BY: Readonly<Record<string, string | null>> = {
  MERCHANT_ID: 'bursar merchant list',
  WITHDRAWAL_ID: null,
  DEPOSIT_ID: null,
  PAYMENT_ID: null,
  PAYMENT_OR_INVOICE_ID: null,
  REFUND_ID: null,
  OBJECT_ID: null,
  CLAIM_ID: 'bursar claims list',
  PART_ID: 'bursar card-payouts',
  FREEZE_ID: 'bursar freezes',
  SCREENING_ID: 'bursar screening list',
  TRANSFER_ID: 'bursar cold list',
  ADJUSTMENT_ID: 'bursar adjust list',
}

/** Validates a word by the kind that its argument's name states. @throws UsageError */
export const readArgument = (name: string, word: string): string => {
  if (Object.hasOwn(LISTED_BY, name)) return readUuid(name, word, LISTED_BY[name]!)
  return name === 'NETWORK' || name === 'BLOCKCHAIN' ? readNetwork(name, word) : word
}

const readUuid = (name: string, word: string, listedBy: string | null): string => {
  const id = word.toLowerCase()
  if (!isUuid(id)) throw new UsageError(`${name} is a UUID${listedBy === null ? '' : `: "${listedBy}" shows them`}`)
  return id
}

const readNetwork = (name: string, word: string): Network => {
  const network = NETWORKS.find((one) => one === word.toUpperCase())
  if (network !== undefined) return network
  const similar = similarWord(word, NETWORKS)
  throw new UsageError(
    `${name} is one of ${NETWORKS.join(', ')}${similar === undefined ? '' : `; did you mean ${similar}?`}`,
  )
}

/** `--NAME ID`: an optional UUID. */
export const uuid = (about: string): Option<string | undefined> => ({
  type: 'string',
  shown: 'ID',
  about,
  read: (typed, name) => (typeof typed === 'string' ? readUuid(`--${name}`, typed, null) : undefined),
})

/** `--NAME NETWORK`: an optional network. */
export const network = (about: string): Option<Network | undefined> => ({
  type: 'string',
  shown: 'NETWORK',
  about,
  read: (typed, name) => (typeof typed === 'string' ? readNetwork(`--${name}`, typed) : undefined),
})
