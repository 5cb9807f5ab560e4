import { isEvmNetwork, type Network } from '@bursar/chainkit'

/** Groups of networks with the same addresses: one wallet of a family is watched on all its networks. */
export type AddressFamily = 'BITCOIN' | 'EVM' | 'TRON'

export const familyOf = (network: Network): AddressFamily => {
  if (isEvmNetwork(network)) return 'EVM'
  return network === 'TRON' ? 'TRON' : 'BITCOIN'
}
