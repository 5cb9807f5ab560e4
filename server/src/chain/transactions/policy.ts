import { isEvmNetwork, type Network } from '@bursar/chainkit'
import Type, { type Static } from 'typebox'
import { overStandard, whole } from '../../platform/config/fields.ts'

/** How this installation sends on one network. Times in ms, on the business clock. */
export interface SendingPolicy {
  /** raise the fee of a transaction that has waited this long in the pool */
  bumpAfterMs: number
  /** broadcast the same bytes again this often until they are mined */
  rebroadcastEveryMs: number
  /** transactions of one sender that may wait unmined at once (account chains) */
  mostInFlight: number
  /** EVM chains: addresses of the hot wallet that pay in parallel, each with its own nonces; the first one receives */
  hotAddresses: number
  /** payments of one Bitcoin transaction */
  mostPayments: number
  /** the longest a withdrawal waits for others to share its Bitcoin transaction with; a full one leaves at once */
  batchWaitMs: number
  /** a withdrawal that the available coins can't pay lets later ones pass for this long... */
  saveUpAfterMs: number
  /** ...then all coins are reserved for it for this long, then later ones pass again for as long, and so on */
  saveUpMs: number
  /**
   * thousandths of a satoshi for each virtual byte: the rate that patient transactions wait for. Small coins are joined
   * at no higher rate, and change is made when it is worth spending at that rate.
   */
  patientRate: bigint
  /** native units: maximum network fee of a transaction */
  maxFee: bigint
  /** and, on EVM chains, the same limit for one that sweeps many addresses at once */
  maxBatchFee: bigint
  /** and, on Bitcoin, the limit in thousandths of the amount it pays out */
  maxFeePerMille: bigint
}

export const DEFAULT_POLICY: SendingPolicy = {
  bumpAfterMs: 10 * 60_000,
  rebroadcastEveryMs: 30_000,
  mostInFlight: 16,
  hotAddresses: 1,
  mostPayments: 50,
  batchWaitMs: 0,
  saveUpAfterMs: 15 * 60_000,
  saveUpMs: 30 * 60_000,
  patientRate: 0n,
  maxFee: 20_000_000_000_000_000n,
  maxBatchFee: 200_000_000_000_000_000n,
  maxFeePerMille: 100n,
}

/** Satoshi where the default is in wei. */
export const DEFAULT_BITCOIN_POLICY: SendingPolicy = {
  ...DEFAULT_POLICY,
  bumpAfterMs: 30 * 60_000,
  batchWaitMs: 30_000,
  patientRate: 5_000n,
  maxFee: 500_000n,
  maxFeePerMille: 500n,
}

/** Sun where the default is in wei. */
export const DEFAULT_TRON_POLICY: SendingPolicy = { ...DEFAULT_POLICY, maxFee: 100_000_000n }

const STANDARD: Readonly<Record<Network, SendingPolicy>> = {
  BITCOIN: DEFAULT_BITCOIN_POLICY,
  ETHEREUM: DEFAULT_POLICY,
  BINANCE_SMART_CHAIN: DEFAULT_POLICY,
  TRON: DEFAULT_TRON_POLICY,
}
const MOST_HOT_ADDRESSES = 64

/** `sending` of a network in the policy file. */
export const sendingShape = (network: Network) => {
  const standard = STANDARD[network]
  const member = (
    key: keyof SendingPolicy,
    description: string,
    bounds: { least?: number; most?: number; unit?: string } = {},
  ) => Type.Optional(whole(description, { ...bounds, standard: standard[key] }))
  const ms = (key: keyof SendingPolicy, description: string) => member(key, description, { unit: 'ms' })
  return Type.Object(
    {
      bumpAfterMs: ms('bumpAfterMs', 'the fee of a transaction that has waited for this time is raised'),
      rebroadcastEveryMs: ms('rebroadcastEveryMs', 'interval of broadcasting unmined transactions again'),
      mostInFlight: member('mostInFlight', 'maximum unmined transactions of one sender (account chains)', { least: 1 }),
      hotAddresses: member(
        'hotAddresses',
        'number of hot wallet addresses that pay in parallel (ETHEREUM, BINANCE_SMART_CHAIN); see [hot-and-cold.md](hot-and-cold.md)',
        { least: 1, most: isEvmNetwork(network) ? MOST_HOT_ADDRESSES : 1 },
      ),
      maxFee: member('maxFee', 'maximum network fee of a transaction', { unit: "the coin's smallest unit" }),
      maxBatchFee: member(
        'maxBatchFee',
        'maximum network fee of a transaction that sweeps many addresses (ETHEREUM, BINANCE_SMART_CHAIN)',
        { unit: 'wei' },
      ),
      maxFeePerMille: member('maxFeePerMille', 'maximum network fee as a part of the amount paid out (BITCOIN)', {
        unit: 'thousandths',
      }),
      mostPayments: member('mostPayments', 'maximum payments of one transaction (BITCOIN)', { least: 1 }),
      batchWaitMs: ms(
        'batchWaitMs',
        'maximum time that a withdrawal waits for others to share a transaction with; a full transaction is sent at once (BITCOIN)',
      ),
      saveUpAfterMs: ms(
        'saveUpAfterMs',
        "for this time, younger withdrawals pass one that the coins can't pay (BITCOIN)",
      ),
      saveUpMs: ms(
        'saveUpMs',
        'after that, all coins are reserved for it for this time, then younger withdrawals pass again for the same time, and so on; 0: never reserved (BITCOIN)',
      ),
      patientRate: member(
        'patientRate',
        'maximum fee rate at which small coins are consolidated; change is made if it is worth spending at this rate (BITCOIN)',
        { unit: 'thousandths of a satoshi for each virtual byte' },
      ),
    },
    { description: 'how transactions are sent' },
  )
}

/** Returns the sending policy of a network: the defaults, overridden by the policy file. */
export const sendingPolicyOf = (network: Network, given: Static<ReturnType<typeof sendingShape>> = {}): SendingPolicy =>
  overStandard(STANDARD[network], given)
