import { toHex, type Hex } from '@bursar/chainkit/evm'
import { privateKeyToAccount } from 'viem/accounts'
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
  const chainId = Number(await node.rpc<string>('eth_chainId'))
  const nonce = Number(await node.rpc<string>('eth_getTransactionCount', from, 'latest'))
  const account = keyring.withEvmKey(key, (secret) => privateKeyToAccount(toHex(secret)))
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    gas: call.gas ?? 100_000n,
    maxFeePerGas: call.price ?? 50n * GWEI,
    maxPriorityFeePerGas: call.price ?? 2n * GWEI,
    to: call.to as Hex,
    value: call.value ?? 0n,
    data: call.data ?? '0x',
  })
  await node.rpc('eth_sendRawTransaction', raw)
  await chain.mine(1)
}
