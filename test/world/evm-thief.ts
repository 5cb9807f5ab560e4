import { toHex, type Hex } from '@bursar/chainkit/evm'
import { signTransaction } from '@bursar/chainkit/signing'
import type { KeyReference } from '../../signer/src/protocol/protocol.ts'
import type { EvmSweeps } from './evm-sweeps.ts'
import { keyring } from './signer.ts'

const GWEI = 10n ** 9n

/** A thief with the first seed sends a transaction. */
export const steal = async (
  { node, chain }: EvmSweeps,
  key: KeyReference,
  call: { to: string; value?: bigint; data?: Hex; gas?: bigint; price?: bigint },
): Promise<void> => {
  const from = keyring.evmAddress(key)
  const nonce = BigInt(await node.rpc<string>('eth_getTransactionCount', from, 'latest'))
  const transaction = {
    type: 'eip1559' as const,
    chainId: BigInt(await node.rpc<string>('eth_chainId')),
    nonce,
    gas: call.gas ?? 100_000n,
    maxFeePerGas: call.price ?? 50n * GWEI,
    maxPriorityFeePerGas: call.price ?? 2n * GWEI,
    to: call.to as Hex,
    value: call.value ?? 0n,
    data: call.data ?? ('0x' as const),
  }
  const raw = keyring.withEvmKey(key, (secret) => signTransaction(transaction, secret).raw)
  await node.rpc('eth_sendRawTransaction', toHex(raw))
  await chain.mine(1)
}
