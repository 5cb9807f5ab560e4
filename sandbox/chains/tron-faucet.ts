/** Sends payments from the genesis account of the TRON chain. */
import { randomInt } from 'node:crypto'
import {
  encodeTokenTransfer,
  evmFormOf,
  referenceTo,
  serializeSigned,
  serializeUnsigned,
  transactionId,
} from '@bursar/chainkit/tron'
import type { Contract } from '@bursar/chainkit/tron'
import { encodeFunctionData } from 'viem'
import { Refusal } from '../http/refusal.ts'
import { readArtifact } from '../tokens/artifact.ts'
import { signBytes } from '../tron/blocks/signature.ts'
import type { TronApi, TronBlock, TronStatus } from './tron-api.ts'

export interface TronFaucet {
  /**
   * @param token its contract; absent for TRX. Returns the transaction's id. Throws a Refusal when the chain does not
   * take it.
   */
  pay(payment: { readonly to: string; readonly units: bigint; readonly token?: string }): Promise<string>
  /** Signs and hands over any other transaction of the account. */
  send(contract: Contract): Promise<string>
}

const lifeMs = 600_000
/** A thousand TRX: more than any call of a token burns. */
const feeLimit = 1_000_000_000n
/** Tokens are minted a thousand million at a time beyond the needed amount; all have 6 decimals. */
const plenty = 10n ** 15n

/** @param first number of the first payment: openings of the same chain have different ones */
export function openTronFaucet(
  api: TronApi,
  { address, key }: TronStatus['faucet'],
  first = randomInt(2 ** 30),
): TronFaucet {
  // The chain does not look at timestamps; different ones make equal payments different transactions.
  let payments = first
  /** Token payments that may not be mined yet. */
  let waiting: { readonly hash: string; readonly token: string; readonly units: bigint }[] = []

  const send = async (contract: Contract): Promise<string> => {
    // A payment that refers to a block which a fork takes away can't be mined on the new branch.
    const solid = await api.ask<TronBlock>('walletsolidity/getnowblock')
    const head = await api.ask<TronBlock>('wallet/getnowblock')
    const now = head.block_header.raw_data.timestamp
    payments += 1
    const transaction = {
      ...referenceTo(solid.blockID),
      contract,
      expiration: now + lifeMs,
      timestamp: now + payments,
      feeLimit: contract.kind === 'TriggerSmartContract' ? feeLimit : 0n,
    }
    const signed = serializeSigned(transaction, await signBytes(serializeUnsigned(transaction), key))
    const answer = await api.ask<{ result: boolean; code: string; message: string }>('wallet/broadcasthex', {
      transaction: Buffer.from(signed).toString('hex'),
    })
    if (!answer.result) throw new Refusal(`the chain refuses the payment: ${answer.code} ${answer.message}`)
    return transactionId(transaction)
  }
  const call = (token: string, data: `0x${string}`): Promise<string> =>
    send({ kind: 'TriggerSmartContract', owner: address, contract: token, callValue: 0n, data })
  const payToken = async (token: string, to: string, units: bigint): Promise<string> => {
    const { pending } = await api.control<TronStatus>('status')
    waiting = waiting.filter(({ hash }) => pending.includes(hash))
    const spoken = waiting.filter((one) => one.token === token).reduce((sum, one) => sum + one.units, 0n)
    if ((await tronTokenBalance(api, token, address)) < spoken + units) {
      const { abi } = readArtifact('TestToken')
      await call(token, encodeFunctionData({ abi, functionName: 'mint', args: [evmFormOf(address), units + plenty] }))
    }
    const hash = await call(token, encodeTokenTransfer(to, units))
    waiting.push({ hash, token, units })
    return hash
  }
  return {
    send,
    pay: ({ token, to, units }) =>
      token === undefined
        ? send({ kind: 'TransferContract', owner: address, to, amount: units })
        : payToken(token, to, units),
  }
}

/** In mined blocks. */
export async function tronTokenBalance(api: TronApi, token: string, holder: string): Promise<bigint> {
  const {
    constant_result: [result],
  } = await api.ask<{ constant_result: [string] }>('wallet/triggerconstantcontract', {
    owner_address: holder,
    contract_address: token,
    function_selector: 'balanceOf(address)',
    parameter: evmFormOf(holder).slice(2).padStart(64, '0'),
  })
  return BigInt(`0x${result}`)
}
