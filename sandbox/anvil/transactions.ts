/** Sends transactions from accounts whose keys anvil has. */
import type { Rpc } from '../rpc.ts'

/** anvil's first account, funded at genesis: the sandbox's payer. */
export const faucetAccount = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** Its key, the same on every anvil. */
export const faucetKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/**
 * anvil's last account, used only to deploy, so that its nonces, and therefore contract addresses, are always the same.
 */
export const deployerAccount = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'

/** Its key, as public as the faucet's. */
export const deployerKey = '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'

export interface EvmTransaction {
  readonly from: string
  /** Absent: creates a contract. */
  readonly to?: string
  readonly data?: string
  /** In wei. */
  readonly value?: bigint
  /** Absent: the gas that it would take on the newest block. */
  readonly gas?: bigint
}

export interface EvmReceipt {
  readonly transactionHash: string
  readonly status: string
  readonly contractAddress: string | null
  readonly blockNumber: string
}

/** Sends a transaction, which waits for a block and may fail in it. Returns its hash. */
export function sendTransaction(rpc: Rpc, transaction: EvmTransaction): Promise<string> {
  const { gas, ...rest } = transaction
  return rpc<string>('eth_sendTransaction', {
    ...rest,
    value: toHex(transaction.value ?? 0n),
    ...(gas === undefined ? {} : { gas: toHex(gas) }),
  })
}

/** Sends a transaction and mines a block. Throws with the contract's reason when the transaction fails. */
export async function sendAndMine(rpc: Rpc, transaction: EvmTransaction): Promise<EvmReceipt> {
  const hash = await sendTransaction(rpc, transaction)
  await rpc('evm_mine')
  const receipt = await rpc<EvmReceipt | null>('eth_getTransactionReceipt', hash)
  if (receipt === null) throw new Error(`transaction ${hash} was not mined; is its fee too low?`)
  if (BigInt(receipt.status) !== 1n) throw await failureOf(rpc, hash, transaction)
  return receipt
}

/** A receipt gives no reason; the same call on the new state usually does. */
async function failureOf(rpc: Rpc, hash: string, transaction: EvmTransaction): Promise<Error> {
  const { gas: _, ...rest } = transaction
  const call = { ...rest, value: toHex(transaction.value ?? 0n) }
  const reason = await rpc('eth_call', call, 'latest').then(
    () => 'no reason given',
    (error: Error) => error.message,
  )
  return new Error(`transaction ${hash} failed: ${reason}`)
}

export function toHex(value: bigint): string {
  return `0x${value.toString(16)}`
}
