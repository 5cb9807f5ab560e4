/** Chain parameters (`getchainparameters`) that determine fees, in sun. They change by vote. */
export interface Prices {
  /** `getEnergyFee`, per unit of energy that stake does not cover */
  energy: bigint
  /** `getTransactionFee`, for each byte of bandwidth */
  bandwidth: bigint
  /** `getCreateAccountFee`: instead of bandwidth when a system contract activates an account */
  accountBandwidth: bigint
  /** `getCreateNewAccountFeeInSystemContract`: for the activation itself */
  activation: bigint
}

/** Resources that an account has left now. */
export interface Resources {
  /** From stake, its own or delegated to it */
  bandwidth: bigint
  /** Left of the free daily allowance of every activated account */
  freeBandwidth: bigint
  energy: bigint
}

/** Resources that a transaction uses. */
export interface Usage {
  /** See `bandwidthOf` */
  bandwidth: number
  /** 0 when no contract is called */
  energy: bigint
  /**
   * Energy that the fee limit must cover, when it is more: for another receiver, or because the run needs more at hand
   * than it uses
   */
  energyLimit?: bigint
  /**
   * True when the transaction transfers TRX to, or creates, an account that is not activated. Token transfers activate
   * no account.
   */
  activates: boolean
}

/** sun that are burnt, by reason. */
export interface Burn {
  energy: bigint
  bandwidth: bigint
  activation: bigint
  total: bigint
}

/**
 * Estimates the cost of a transaction (java-tron's BandwidthProcessor and EnergyProcessor). TRX is burnt for energy
 * that stake does not cover. Bandwidth comes from a single source in full, or TRX is burnt for all of it. The free
 * allowance does not apply to activations.
 */
export function burnOf({ bandwidth, energy, activates }: Usage, prices: Prices, resources: Resources): Burn {
  const bytes = BigInt(bandwidth)
  const missing = energy > resources.energy ? energy - resources.energy : 0n
  const isCovered = bytes <= resources.bandwidth || (!activates && bytes <= resources.freeBandwidth)
  const burn = {
    energy: missing * prices.energy,
    bandwidth: isCovered ? 0n : activates ? prices.accountBandwidth : bytes * prices.bandwidth,
    activation: activates ? prices.activation : 0n,
  }
  return { ...burn, total: burn.energy + burn.bandwidth + burn.activation }
}

/** Maximum cost, if no resources are left when it is mined. */
export function mostBurntBy(usage: Usage, prices: Prices): bigint {
  return burnOf(usage, prices, { bandwidth: 0n, freeBandwidth: 0n, energy: 0n }).total
}

/**
 * Fee limit for an estimate, at the current price, with a margin in thousandths: state, price and a contract's dynamic
 * factor may change before the transaction is mined. The unused part is not charged.
 */
export function feeLimitFor(energy: bigint, { energy: price }: Prices, marginPerMille: bigint): bigint {
  return (energy * price * (1000n + marginPerMille) + 999n) / 1000n
}
