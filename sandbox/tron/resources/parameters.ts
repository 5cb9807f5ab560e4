/**
 * The parameters that a TRON network's committee votes on: fees and limits, by java-tron's names. The fees are those of
 * the main network; read them from /wallet/getchainparameters, never assume them.
 */

export const parameterDefaults = {
  getMaintenanceTimeInterval: 21_600_000n,
  /** sun for a byte of bandwidth */
  getTransactionFee: 1_000n,
  /** sun for a unit of energy */
  getEnergyFee: 100n,
  /** sun instead of bandwidth, for a transaction that creates an account */
  getCreateAccountFee: 100_000n,
  /** sun for the account itself */
  getCreateNewAccountFeeInSystemContract: 1_000_000n,
  getCreateNewAccountBandwidthRate: 1n,
  /** sun for a transaction with a memo */
  getMemoFee: 1_000_000n,
  /** bytes a day for every account */
  getFreeNetLimit: 600n,
  /**
   * bytes a day that all free bytes together may take (row T-31: BandwidthProcessor.useFreeNet); no vote of the
   * committee, and never listed
   */
  getPublicNetLimit: 14_400_000_000n,
  /** bytes a day, shared by stake */
  getTotalNetLimit: 43_200_000_000n,
  /** energy a day, shared by stake */
  getTotalEnergyCurrentLimit: 180_000_000_000n,
  /** the most a transaction may allow, sun */
  getMaxFeeLimit: 15_000_000_000n,
  getUnfreezeDelayDays: 14n,
  /** in blocks of 3 s */
  getMaxDelegateLockPeriod: 864_000n,
  /** 1: no plain transfer of TRX to a contract */
  getForbidTransferToContract: 1n,
  /** 1: calls of contracts cost more by the factor of the contract (Program.updateContextContractFactor) */
  getAllowDynamicEnergy: 0n,
  /** what a contract that is used much comes to, in ten-thousandths on top; here all contracts have come to it */
  getDynamicEnergyMaxFactor: 34_000n,
  getAllowDelegateResource: 1n,
  getAllowCreationOfContracts: 1n,
} as const

export type ParameterName = keyof typeof parameterDefaults
export type ParameterValues = Readonly<Record<ParameterName, bigint>>

export interface Price {
  /** ms; from when on it counts */
  readonly since: bigint
  readonly value: bigint
}

export interface Parameters {
  readonly values: ParameterValues
  readonly energyPrices: readonly Price[]
  readonly bandwidthPrices: readonly Price[]
}

export const isParameterName = (name: string): name is ParameterName => Object.hasOwn(parameterDefaults, name)

export const initialParameters = (changes: Partial<ParameterValues>): Parameters => {
  const values = { ...parameterDefaults, ...changes }
  return {
    values,
    energyPrices: [{ since: 0n, value: values.getEnergyFee }],
    bandwidthPrices: [{ since: 0n, value: values.getTransactionFee }],
  }
}

export const withParameters = (parameters: Parameters, changes: Partial<ParameterValues>, now: bigint): Parameters => {
  const values = { ...parameters.values, ...changes }
  const price = (prices: readonly Price[], value: bigint): readonly Price[] =>
    prices.at(-1)?.value === value ? prices : [...prices, { since: now, value }]
  return {
    values,
    energyPrices: price(parameters.energyPrices, values.getEnergyFee),
    bandwidthPrices: price(parameters.bandwidthPrices, values.getTransactionFee),
  }
}
