/** Sends payments from the sandbox's faucet: real transactions, signed with a public key pair. */
import { encodeFunctionData } from 'viem'
import { parseAmount } from '../chains/amount.ts'
import { Refusal } from '../http/refusal.ts'
import { readArtifact } from '../tokens/artifact.ts'
import { addressOf, evmAddressOf } from './address.ts'
import type { Address } from './address.ts'
import { bytesOf, hexOf } from './bytes.ts'
import type { Chain } from './blocks/chain.ts'
import { faucet, tokenAddress, tokens } from './blocks/genesis.ts'
import { TransactionRefusal } from './blocks/refusal.ts'
import { signBytes } from './blocks/signature.ts'
import { contractAt } from './state/records.ts'
import { layeredState } from './state/state.ts'
import type { Contract } from './codec/contracts.ts'
import { encodeRaw, signedTransaction } from './codec/transaction.ts'
import { buildRaw, openView } from './http/view.ts'
import type { Machine } from './vm/machine.ts'

export interface Payment {
  /** TRX, or the symbol of a token. */
  readonly ticker: string
  readonly to: string
  /** Decimal text in whole units, such as 0.5. */
  readonly amount: string
}

const feeLimit = 1_000_000_000n
const trxDecimals = 6
/** Tokens are minted so many whole ones at a time. */
const plenty = 10n ** 9n

/** Sends a payment, which waits for a block, and returns its id. Throws a Refusal. */
export const payFromFaucet = async (
  chain: Chain,
  machine: Machine,
  { ticker, to, amount }: Payment,
): Promise<string> => {
  const receiver = readAddress(to)
  if (ticker === 'TRX') return sendFromFaucet(chain, machine, trxTo(chain, receiver, parseAmount(amount, trxDecimals)))
  const token = tokens.find(({ symbol }) => symbol === ticker)
  if (token === undefined) throw new Refusal(`ticker: send TRX, ${tokens.map(({ symbol }) => symbol).join(' or ')}`)
  const units = parseAmount(amount, token.decimals)
  const address = tokenAddress(ticker)
  if ((await tokenBalance(chain, machine, address, faucet.address)) < units)
    await sendFromFaucet(
      chain,
      machine,
      callOf(address, 'mint', faucet.address, units + plenty * 10n ** BigInt(token.decimals)),
    )
  return sendFromFaucet(chain, machine, callOf(address, 'transfer', receiver, units))
}

/** Returns a token balance that includes pending transactions. */
const tokenBalance = async (chain: Chain, machine: Machine, token: Address, holder: Address): Promise<bigint> => {
  const { place } = openView(chain, machine, false)
  const run = await machine.run(layeredState(chain.pool.state().get), place.block, {
    transactionId: '0'.repeat(64),
    caller: holder,
    to: token,
    data: callData('balanceOf', [`0x${hexOf(evmAddressOf(holder))}`]),
    value: 0n,
    energyLimit: feeLimit,
  })
  return BigInt(`0x${hexOf(run.returned)}`)
}

const sendFromFaucet = async (chain: Chain, machine: Machine, contract: Contract): Promise<string> => {
  const view = openView(chain, machine, false)
  // Two equal payments are distinguished by their times.
  const raw = buildRaw(view, contract, view.newest.timestamp + chain.pool.list().length, { feeLimit })
  const transaction = signedTransaction(raw, [await signBytes(encodeRaw(raw), faucet.key)])
  try {
    await chain.broadcast(transaction)
  } catch (error) {
    if (error instanceof TransactionRefusal) throw new Refusal(error.message)
    throw error
  }
  return transaction.id
}

/** A contract takes no plain transfer. */
const trxTo = (chain: Chain, to: Address, amount: bigint): Contract => {
  if (contractAt(layeredState(chain.pool.state().get), to) === undefined) return transferOf(to, amount)
  const value = {
    owner_address: faucet.address,
    contract_address: to,
    call_value: amount,
    data: new Uint8Array(0),
    call_token_value: 0n,
    token_id: 0n,
  }
  return { type: 'TriggerSmartContract', value }
}

const transferOf = (to: Address, amount: bigint): Contract => ({
  type: 'TransferContract',
  value: { owner_address: faucet.address, to_address: to, amount },
})

const callOf = (token: Address, functionName: 'mint' | 'transfer', to: Address, units: bigint): Contract => ({
  type: 'TriggerSmartContract',
  value: {
    owner_address: faucet.address,
    contract_address: token,
    call_value: 0n,
    data: callData(functionName, [`0x${hexOf(evmAddressOf(to))}`, units]),
    call_token_value: 0n,
    token_id: 0n,
  },
})

const callData = (functionName: string, args: readonly unknown[]): Uint8Array =>
  bytesOf(encodeFunctionData({ abi: readArtifact('TestToken').abi, functionName, args }))

const readAddress = (text: string): Address => {
  try {
    return addressOf(text)
  } catch {
    throw new Refusal('to: send an address of TRON, in base58 or hexadecimal')
  }
}
