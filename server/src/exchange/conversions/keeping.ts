import { isNetwork } from '@bursar/chainkit'
import { generalErrors } from '@bursar/contract'
import type { Db } from '../../platform/db/index.ts'
import { refusal } from '../../platform/api/route.ts'
import type { KeepTarget, TargetBody } from '../../platform/api/target.ts'
import { checkDestination, type Rules } from '../../pay-out/withdrawals/index.ts'
import type { Target } from './conversion.ts'
import { insertTarget } from './store.ts'

const invalid = (description: string, field: string) =>
  refusal(generalErrors.invalidRequest, description, `target.${field}`)

/** Reads a merchant's target: an asset that is offered, and an address of a network that has it. Refuses others. */
const readTarget = ({ ticker, address, blockchain }: TargetBody, rules: Rules): Target => {
  const { catalogue } = rules
  const known = [...catalogue.crypto, ...catalogue.fiat].map((asset) => asset.ticker)
  if (!known.includes(ticker)) throw invalid(`ticker must be one of ${known.join(', ')}`, 'ticker')
  if (address === undefined && blockchain === undefined) return { ticker, address: null, blockchain: null }
  if (address === undefined) throw invalid('address is missing: send it with blockchain, or neither', 'address')
  if (blockchain === undefined) throw invalid('blockchain is missing: it is needed with address', 'blockchain')
  const asset = catalogue.findCrypto(ticker)
  if (!asset) throw invalid(`${ticker} is on no chain: leave out address and blockchain`, 'address')
  if (!isNetwork(blockchain) || !asset.networks.has(blockchain)) {
    throw invalid(`${ticker} is on ${[...asset.networks.keys()].join(', ')}`, 'blockchain')
  }
  const destination = checkDestination(blockchain, address, rules)
  if (!destination.ok) throw invalid(`address: ${destination.why}`, 'address')
  // Stored as it was sent: notifications repeat it, and it is validated again when something is sent there.
  return { ticker, address, blockchain }
}

export const createTargetKeeper =
  (db: Db, rules: Rules): KeepTarget =>
  (owner, body) =>
    insertTarget(db, owner, readTarget(body, rules))
