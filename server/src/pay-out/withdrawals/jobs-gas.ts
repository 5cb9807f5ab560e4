import type { EvmNetwork } from '@bursar/chainkit'
import type { AccountChainAdapter } from '../../adapters/chains/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { addressWithoutHistory, paymentCall } from '../../chain/transactions/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { PaymentGas } from './pricing.ts'

/** Upgrades of a chain come at days that are known; fees are asked for far more often. */
const MEASURED_EVERY_MS = 5 * 60_000

interface GasDeps {
  runtime: Runtime
  catalogue: Catalogue
  /** the first hot address: of what it does not hold no transfer can be estimated */
  hotAddress: string
}

/**
 * What payments take that merchants are charged for, each to an address that the chain has never seen, which is the
 * dearest: asked of the node every five minutes. Assets without an estimate are left out.
 */
export const createGasReader = ({
  runtime,
  catalogue,
  hotAddress,
}: GasDeps): ((adapter: AccountChainAdapter, network: EvmNetwork) => Promise<PaymentGas>) => {
  const measured = new Map<EvmNetwork, { at: number; gas: PaymentGas }>()
  return async (adapter, network) => {
    const [now, last] = [runtime.clock.now(), measured.get(network)]
    if (last && now - last.at < MEASURED_EVERY_MS) return last.gas
    const to = addressWithoutHistory(runtime.newId())
    const assets = catalogue.crypto.filter((asset) => asset.networks.has(network))
    const estimates = await Promise.all(
      assets.map((asset) =>
        adapter.estimateGas({
          from: hotAddress,
          ...paymentCall({ to, units: 1n, contract: asset.networks.get(network)!.contract }),
        }),
      ),
    )
    const gas = new Map(
      estimates.flatMap((estimate, i): [string, bigint][] => (estimate.ok ? [[assets[i]!.ticker, estimate.gas]] : [])),
    )
    measured.set(network, { at: now, gas })
    return gas
  }
}
