import type { Signer, SignerStatus } from '../../adapters/signer/port.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import type { TronSweepPermission } from '../../treasury/sweeps/index.ts'

/** The fields of the signer's policy for TRON used here, as its administrator wrote them. */
interface WrittenPolicy {
  enabled?: boolean
  sweep?: { enabled?: boolean; maxTopUp?: string }
  treasury?: { enabled?: boolean }
  assets?: Record<string, { enabled?: boolean }>
}

const CACHED_MS = 10_000

/**
 * Returns which sweeps on TRON the signer would sign now, so that no others are planned.
 * @param now ms
 */
export const createTronSweepPermission = (
  signer: Pick<Signer, 'status'>,
  now: () => number,
): (() => Promise<TronSweepPermission>) =>
  cacheFor(CACHED_MS, now, async () => {
    const { policy, velocity } = await signer.status()
    const written = (policy.networks as { TRON?: WrittenPolicy }).TRON
    const isOn = policy.enabled && written?.enabled === true && written.sweep?.enabled === true
    const enabled = Object.entries(written?.assets ?? {}).flatMap(([ticker, asset]) => (asset.enabled ? [ticker] : []))
    return {
      assets: new Set(isOn ? enabled : []),
      mayDelegateEnergy: written?.treasury?.enabled === true && isBelowLoanLimits(velocity),
      maxTopUp: BigInt(written?.sweep?.maxTopUp ?? 0),
    }
  })

/**
 * Whether the limits of lent amounts are not used up. Otherwise deposit addresses are topped up until the window
 * moves.
 */
const isBelowLoanLimits = (velocity: SignerStatus['velocity']): boolean => {
  const loan = velocity.find(({ network, asset }) => network === 'TRON' && asset === 'loan')
  return (
    loan === undefined || (BigInt(loan.hour) < BigInt(loan.maxPerHour) && BigInt(loan.day) < BigInt(loan.maxPerDay))
  )
}
