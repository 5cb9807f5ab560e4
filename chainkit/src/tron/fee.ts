/** Chain parameters (`getchainparameters`) that fees follow, in sun. They change by vote. */
export interface Prices {
  /** `getEnergyFee`, for each unit of energy that is not staked for */
  energy: bigint
  /** `getTransactionFee`, for each byte of bandwidth */
  bandwidth: bigint
  /** `getCreateAccountFee`: in place of bandwidth where a transaction of the system activates an account */
  accountBandwidth: bigint
  /** `getCreateNewAccountFeeInSystemContract`: for the activation itself */
  activation: bigint
}

/** What an account has left of its resources now. */
export interface Resources {
  /** Staked for or delegated to it */
  bandwidth: bigint
  /** Of the daily allowance that every activated account has */
  freeBandwidth: bigint
  energy: bigint
}

/** What a transaction takes. */
export interface Usage {
  /** See `bandwidthOf` */
  bandwidth: number
  /** 0 where no contract is called */
  energy: bigint
  /**
   * What has to be allowed to the call, where that is more: another receiver's case, or what must be at hand while it
   * runs
   */
  energyLimit?: bigint
  /**
   * True for a transfer of TRX to, or a creation of, an account that is not activated. Token transfers activate no
   * account.
   */
  activates: boolean
}

/** sun that are burnt, and for what. */
export interface Burn {
  energy: bigint
  bandwidth: bigint
  activation: bigint
  total: bigint
}

/**
 * What a transaction will cost (java-tron's BandwidthProcessor and EnergyProcessor). Energy is burnt for what is not
 * staked for; bandwidth is taken whole from one source or burnt whole; the free allowance does not serve activations.
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

/** What it can cost at most, when all resources are gone by the time it is mined. */
export function mostBurntBy(usage: Usage, prices: Prices): bigint {
  return burnOf(usage, prices, { bandwidth: 0n, freeBandwidth: 0n, energy: 0n }).total
}

/**
 * A fee limit for an estimate: so many thousandths more energy at the price of now, since state, price and a contract's
 * dynamic factor may change before the transaction is mined. What is not used is not paid.
 */
export function feeLimitFor(energy: bigint, { energy: price }: Prices, marginPerMille: bigint): bigint {
  return (energy * price * (1000n + marginPerMille) + 999n) / 1000n
}
