import { isEvmNetwork, NATIVE_TICKER, type Network } from '@bursar/chainkit'
import { checksumAddress } from '@bursar/chainkit/evm'
import { unitsOf } from '../../../platform/money/index.ts'
import type { SignedAsset, SignerPart } from './signer-answers.ts'

/** Caps on network fees, as in the example of signer/README.md: chain units of the coin. */
const BITCOIN_FEE = {
  maxUnits: '200000',
  maxPerMille: '300',
  maxMilliSatPerVb: '300000',
  maxPerHour: '1000000',
  maxPerDay: '5000000',
}
const EVM_FEE = {
  maxUnits: '20000000000000000',
  maxPerHour: '500000000000000000',
  maxPerDay: '2000000000000000000',
}
/** A batch of a sweep costs many times the fee of a payment. */
const EVM_SWEEP = { maxFee: '100000000000000000', maxTopUp: '10000000000000000' }
const TRON_FEE = {
  maxUnits: '60000000',
  maxPerHour: '3000000000',
  maxPerDay: '20000000000',
  bandwidthPrice: '1000',
  activation: '1100000',
}
const TRON_SWEEP = { enabled: true, maxTopUp: '20000000' }
/** The server's TRON transactions live ten minutes. */
const TRON_LIFETIME_MS = 600_000

/**
 * Makes the signer's policy: the limits of the answers, in chain units; the fee caps of this file; and sweeps of
 * deposits to the hot address. There is no approver yet.
 * @param hotAddress of the EVM networks
 */
export const signerPolicy = ({ chain, networks }: SignerPart, hotAddress: string): object => ({
  version: 1,
  enabled: true,
  networks: {
    // The signer derives its keys for the chain of Bitcoin in its policy, and for the main chain without one.
    BITCOIN: { enabled: false, chain, fee: BITCOIN_FEE, assets: {} },
    ...Object.fromEntries(networks.map((one) => [one.network, networkPolicy(one, chain, hotAddress)])),
  },
  approvers: [],
})

const networkPolicy = (
  { network, chainId, assets }: SignerPart['networks'][number],
  chain: SignerPart['chain'],
  hotAddress: string,
): object => {
  const common = { enabled: true, assets: Object.fromEntries(assets.map((one) => assetPolicy(network, one))) }
  if (network === 'BITCOIN') return { ...common, chain, fee: BITCOIN_FEE, consolidation: { enabled: true } }
  if (isEvmNetwork(network))
    return {
      ...common,
      chainId: String(chainId),
      fee: EVM_FEE,
      sweep: { enabled: true, treasury: hotAddress, ...EVM_SWEEP },
    }
  return { ...common, maxLifetimeMs: TRON_LIFETIME_MS, fee: TRON_FEE, sweep: TRON_SWEEP }
}

const assetPolicy = (
  network: Network,
  { ticker, decimals, contract, payment, hour, day }: SignedAsset,
): [ticker: string, policy: object] => {
  const units = (amount: string): string => unitsOf(amount, decimals).toString()
  return [
    ticker,
    {
      enabled: true,
      ...(contract === undefined ? {} : { contract: isEvmNetwork(network) ? checksumAddress(contract) : contract }),
      ...(ticker === NATIVE_TICKER[network] ? {} : { decimals }),
      maxPerIntent: units(payment),
      maxPerHour: units(hour),
      maxPerDay: units(day),
    },
  ]
}
