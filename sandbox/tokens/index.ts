/** Deploys, calls and reads test contracts on a development chain. */
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import type { Address } from 'viem'
import { deployerAccount, faucetAccount, sendAndMine } from '../anvil/transactions.ts'
import type { Rpc } from '../rpc.ts'
import { readArtifact } from './artifact.ts'
import type { ContractName } from './artifact.ts'

export type { ContractName } from './artifact.ts'

/**
 * `UsdtLike` pauses, freezes, charges a fee and returns nothing as TetherToken does (row T-40, row T-41), on TRON too.
 */
export interface TokenSpec {
  readonly contract: Exclude<ContractName, 'Payer'>
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

/** Deploys a contract in a block of its own and returns its address. */
export async function deploy(
  rpc: Rpc,
  contract: ContractName,
  args: readonly unknown[] = [],
  from = faucetAccount,
): Promise<Address> {
  const { abi, bytecode } = readArtifact(contract)
  const receipt = await sendAndMine(rpc, { from, data: encodeDeployData({ abi, bytecode, args }) })
  return receipt.contractAddress as Address
}

/**
 * Ensures that the tokens are on the chain, each at an address that depends only on its position in the list. Returns
 * the addresses by symbol. Add new tokens at the end. Throws when the deployer was used for anything else.
 */
export async function ensureTokens(rpc: Rpc, specs: readonly TokenSpec[]): Promise<ReadonlyMap<string, Address>> {
  const addresses = new Map<string, Address>()
  for (const [nonce, spec] of specs.entries()) {
    const address = getContractAddress({ from: deployerAccount, nonce: BigInt(nonce) })
    addresses.set(spec.symbol, address)
    if ((await rpc<string>('eth_getCode', address, 'latest')) !== '0x') continue
    const next = Number(await rpc<string>('eth_getTransactionCount', deployerAccount, 'latest'))
    if (next !== nonce)
      throw new Error(
        `${spec.symbol} needs nonce ${nonce} of ${deployerAccount}, which is at ${next}; start the chain anew`,
      )
    await deploy(rpc, spec.contract, [spec.name, spec.symbol, spec.decimals], deployerAccount)
  }
  return addresses
}

/** Mints `units`, in the token's smallest unit, in a separate block. Returns the transaction's hash. */
export function mint(rpc: Rpc, token: string, to: string, units: bigint): Promise<string> {
  return call(rpc, 'TestToken', token, 'mint', [to, units])
}

/** Calls a contract's function in a separate block. Returns the transaction's hash. Throws when the call fails. */
export async function call(
  rpc: Rpc,
  contract: ContractName,
  address: string,
  functionName: string,
  args: readonly unknown[] = [],
  { from = faucetAccount, value = 0n }: { from?: string; value?: bigint } = {},
): Promise<string> {
  const data = encodeFunctionData({ abi: readArtifact(contract).abi, functionName, args })
  return (await sendAndMine(rpc, { from, to: address, data, value })).transactionHash
}

/** Reads a contract's view function. */
export async function read<T>(
  rpc: Rpc,
  contract: ContractName,
  address: string,
  functionName: string,
  args: readonly unknown[] = [],
  block: 'latest' | 'pending' = 'latest',
): Promise<T> {
  const { abi } = readArtifact(contract)
  const data = await rpc<`0x${string}`>(
    'eth_call',
    { to: address, data: encodeFunctionData({ abi, functionName, args }) },
    block,
  )
  return decodeFunctionResult({ abi, functionName, data }) as T
}
