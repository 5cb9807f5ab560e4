import { isEvmNetwork, isRefused, type Network } from '@bursar/chainkit'
import { parseAddress as parseBitcoin, type BitcoinChain } from '@bursar/chainkit/bitcoin'
import { parseAddress as parseEvm } from '@bursar/chainkit/evm'
import { parseAddress as parseTron } from '@bursar/chainkit/tron'
import type { Catalogue } from '../../market/assets/index.ts'

export type Destination = { ok: true; address: string } | { ok: false; why: string }

/**
 * Holds a destination against its network: form, checksum, network, and contracts of tokens, which would keep the money
 * for ever. Answers the canonical form, in which addresses are compared and stored.
 */
export const checkDestination = (
  network: Network,
  text: string,
  rules: { bitcoinChain: BitcoinChain; catalogue: Catalogue },
): Destination => {
  if (network === 'BITCOIN') return checkBitcoin(text, rules.bitcoinChain)
  if (isEvmNetwork(network)) return checkEvm(network, text, rules.catalogue)
  return checkTron(text, rules.catalogue)
}

const checkBitcoin = (text: string, chain: BitcoinChain): Destination => {
  const parsed = parseBitcoin(text, chain)
  if (isRefused(parsed)) return { ok: false, why: parsed.message }
  return { ok: true, address: parsed.address }
}

const checkEvm = (network: Network, text: string, catalogue: Catalogue): Destination => {
  const parsed = parseEvm(text)
  if (isRefused(parsed)) return { ok: false, why: parsed.message }
  const { address } = parsed
  const token = catalogue.byContract(network, address.toLowerCase())
  if (token) return { ok: false, why: `${address} is the contract of ${token.asset.ticker}: money sent there is lost` }
  return { ok: true, address }
}

const checkTron = (text: string, catalogue: Catalogue): Destination => {
  const parsed = parseTron(text)
  if (isRefused(parsed)) return { ok: false, why: parsed.message }
  const token = catalogue.byContract('TRON', parsed.address)
  if (token)
    return { ok: false, why: `${parsed.address} is the contract of ${token.asset.ticker}: money sent there is lost` }
  return { ok: true, address: parsed.address }
}
