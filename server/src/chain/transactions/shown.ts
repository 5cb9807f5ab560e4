import { isEvmNetwork, isRefused, type ChainTransaction, type Network } from '@bursar/chainkit'
import { decodeTransfer, fromHex, isHex, parseUnsigned } from '@bursar/chainkit/evm'
import { decodeTokenTransfer } from '@bursar/chainkit/tron'
import { tronContractOf } from './tron-plan.ts'

/** The transfer that a payment of ours asks a token's contract for. */
interface Asked {
  /** as blocks name it: lowercase on EVM chains, base58 on TRON */
  contract: string
  to: string
  /** of the contract */
  units: bigint
}

/**
 * Whether a block shows that a payment of ours had its effect. A token's contract may answer `false` instead of
 * reverting, with a good receipt (ERC-20 leaves it open): only the log of its Transfer says that anything moved.
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
 * What the receiver of a token's payment got less than was asked for: its issuer may take a fee of transfers
 * (TetherToken.sol). Undefined where nothing is missing.
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

/** Undefined for what is no token's payment. */
const askedOf = (network: Network, unsigned: string): Asked | undefined => {
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
