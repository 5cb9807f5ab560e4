/** The contract through which people outside pay TRX (sandbox/tokens/contracts/Payer.sol). */
import { addressOfHex, evmFormOf, type Contract } from '@bursar/chainkit/tron'
import { encodeFunctionData } from 'viem'
import type { TronApi, TronStatus } from '../../../../sandbox/chains/tron-api.ts'
import { readArtifact } from '../../../../sandbox/tokens/artifact.ts'
import { bytesOf, hexOf } from '../../../../sandbox/tron/bytes.ts'
import { signBytes } from '../../../../sandbox/tron/blocks/signature.ts'

const FEE_LIMIT = 5_000_000_000
const { abi, bytecode } = readArtifact('Payer')

/** Builds it by the node, signs it and hands it over; it waits for a block. @returns its address */
export const deployPayer = async (api: TronApi, { address, key }: TronStatus['faucet']): Promise<string> => {
  const built = await api.ask<{ raw_data_hex: string; contract_address: string }>('wallet/deploycontract', {
    owner_address: address,
    bytecode: bytecode.slice(2),
    fee_limit: FEE_LIMIT,
    name: 'Payer',
    consume_user_resource_percent: 100,
    origin_energy_limit: 10_000_000,
  })
  const signature = hexOf(await signBytes(bytesOf(built.raw_data_hex), key))
  const said = await api.ask<{ result?: boolean; message?: string }>('wallet/broadcasttransaction', {
    ...built,
    signature: [signature],
  })
  if (said.result !== true) throw new Error(`the contract is refused: ${said.message}`)
  return built.contract_address.startsWith('T') ? built.contract_address : addressOfHex(built.contract_address)
}

export const payThrough = (
  owner: string,
  contract: string,
  { to, units, how }: { to: string; units: bigint; how: string },
): Contract => {
  const call = (data: `0x${string}`): Contract => ({
    kind: 'TriggerSmartContract',
    owner,
    contract,
    callValue: units,
    data,
  })
  if (how === 'inner') return call(encodeFunctionData({ abi, functionName: 'pay', args: [[evmFormOf(to)], [units]] }))
  if (how === 'destruction')
    return call(encodeFunctionData({ abi, functionName: 'payByDestruction', args: [evmFormOf(to)] }))
  throw new RangeError(`it cannot be paid by ${how}`)
}
