import { isEvmNetwork, isRefused, type ChainTransaction, type Network } from '@bursar/chainkit'
import { decodeTransfer, fromHex, isHex, parseUnsigned } from '@bursar/chainkit/evm'
import { decodeTokenTransfer } from '@bursar/chainkit/tron'
import { tronContractOf } from './tron-plan.ts'

/** The transfer that a payment of ours requests from a token's contract. */
interface Asked {
  /** as blocks name it: lowercase on EVM chains, base58 on TRON */
  contract: string
  to: string
  /** of the contract */
  units: bigint
}

/**
 * Whether a block shows that a payment of ours had its effect. A token's contract may return `false` instead of
 * reverting, with a successful receipt (ERC-20 allows it): only its Transfer log proves that anything moved.
 */
export const hadEffect = (
  network: Network,
  unsigned: string,
  { succeeded, transfers }: Pick<ChainTransaction, 'succeeded' | 'transfers'>,
): boolean => {
  if (!succeeded) return false
  const asked = askedOf(network, unsigned)
  return (
    asked === undefined ||
    transfers.some(({ contract, to, units }) => contract === asked.contract && to === asked.to && units > 0n)
  )
}

/**
 * Returns the difference between the requested and the received amount of a token payment: the issuer may take a fee of
 * transfers (TetherToken.sol). Undefined when nothing is missing.
 */
export const shortOf = (
  network: Network,
  unsigned: string,
  { transfers }: Pick<ChainTransaction, 'transfers'>,
): { contract: string; units: bigint } | undefined => {
  const asked = askedOf(network, unsigned)
  if (!asked) return undefined
  const arrived = transfers
    .filter(({ contract, to }) => contract === asked.contract && to === asked.to)
    .reduce((sum, { units }) => sum + units, 0n)
  return arrived > 0n && arrived < asked.units ? { contract: asked.contract, units: asked.units - arrived } : undefined
}

/** Returns the transfer that a token payment requests; undefined for any other transaction. */
export const askedOf = (network: Network, unsigned: string): Asked | undefined => {
  if (isEvmNetwork(network)) return evmAsked(unsigned)
  return network === 'TRON' ? tronAsked(unsigned) : undefined
}

const evmAsked = (unsigned: string): Asked | undefined => {
  const parsed = isHex(unsigned) ? parseUnsigned(fromHex(unsigned)) : undefined
  if (!parsed || isRefused(parsed)) return undefined
  const transfer = decodeTransfer(parsed.data)
  return transfer && { contract: parsed.to.toLowerCase(), to: transfer.to, units: transfer.units }
}

const tronAsked = (unsigned: string): Asked | undefined => {
  const contract = tronContractOf(unsigned)
  const transfer = contract.kind === 'TriggerSmartContract' ? decodeTokenTransfer(contract.data) : undefined
  return transfer && contract.kind === 'TriggerSmartContract'
    ? { contract: contract.contract, to: transfer.to, units: transfer.units }
    : undefined
}
