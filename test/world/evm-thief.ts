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

/** A thief delegates an old address to code that burns gas, more than a block has. */
export const setHostileCode = async ({ node, chain }: EvmSweeps, address: string): Promise<void> => {
  const burner = await chain.newAddress()
  // Each round of the loop takes 26 units of gas.
  const rounds = (1_000_000).toString(16).padStart(6, '0')
  await node.rpc('anvil_setCode', burner, `0x62${rounds}5b600190038060045700`)
  await node.rpc('anvil_setCode', address, `0xef0100${burner.slice(2).toLowerCase()}`)
}
