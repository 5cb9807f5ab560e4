import type { EvmNetwork } from '@bursar/chainkit'
import type { Signer } from '../../adapters/signer/port.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { Allowed } from '../../treasury/sweeps/index.ts'

/** The fields of the signer's policy used here, as its administrator wrote them. */
interface WrittenPolicy {
  enabled?: boolean
  sweep?: { enabled?: boolean; treasury?: string; domains?: Record<string, unknown> }
  assets?: Record<string, { enabled?: boolean }>
}

const CACHED_MS = 10_000

/**
 * Returns the assets that the signer would let be swept on a network now. A sweep that it refuses must not be planned,
 * because a refused transaction uses up a nonce. Returns none, and raises an alert, when the signer's policy sends
 * sweeps elsewhere than to the hot wallet.
 */
export const createSweepPermission = (
  runtime: Runtime,
  signer: Signer,
  network: EvmNetwork,
  hotAddress: string,
): (() => Promise<Allowed>) =>
  cacheFor(CACHED_MS, runtime.clock.now, async () => {
    const { policy } = await signer.status()
    const written = (policy.networks as Record<string, WrittenPolicy | undefined>)[network]
    const isOn = policy.enabled && written?.enabled === true && written.sweep?.enabled === true
    const isElsewhere = isOn && written.sweep?.treasury !== hotAddress
    await alertTreasury(runtime, network, hotAddress, isElsewhere ? written.sweep?.treasury : undefined)
    const enabled = Object.entries(written?.assets ?? {}).flatMap(([ticker, asset]) => (asset.enabled ? [ticker] : []))
    const all = isOn && !isElsewhere ? enabled : []
    const signed = all.filter((ticker) => written?.sweep?.domains?.[ticker] !== undefined)
    return { all: new Set(all), signed: new Set(signed) }
  })

const alertTreasury = async (
  runtime: Runtime,
  network: EvmNetwork,
  hotAddress: string,
  treasury: string | undefined,
): Promise<void> => {
  if (treasury === undefined) return resolveAlert(runtime.db, 'sweep-treasury', network, momentOf(runtime).at)
  const text = `Nothing is swept on ${network}: the treasury in the signer's policy is ${treasury}, but the hot wallet is ${hotAddress}`
  await raiseAlert(runtime.db, { kind: 'sweep-treasury', subject: network, text }, momentOf(runtime))
}
