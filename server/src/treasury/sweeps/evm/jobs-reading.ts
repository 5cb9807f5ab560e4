import { sweepOne, COIN, type Hex } from '@bursar/chainkit/evm'
import type { AccountState } from '../../../adapters/chains/port.ts'
import { rescale } from '../../../platform/money/index.ts'
import { addressWithoutHistory, currentState } from '../../../chain/transactions/index.ts'
import { assetOn, chainAmount, type EvmAccount, type EvmHolding } from './account.ts'
import type { EvmRound } from './sweeping.ts'
import { finalHeightOf } from '../../../chain/watcher/index.ts'
import type { Holder } from '../sweep.ts'
import { worthInCoin } from '../coin-worth.ts'

/** An arbitrary address: the test is whether the node runs the code that the request assigns to it. */
const ANY_ADDRESS = '0x00000000000000000000000000000000000b0b0b'
const WORD_DIGITS = 66

/**
 * Whether the chain runs the code an address delegates to (EIP-7702): tested on the node with our delegate's own code.
 */
export const takesSetCode = async ({ adapter, policy, contracts: { delegate } }: EvmRound): Promise<boolean> => {
  if (policy.setCode === 'off') return false
  const answer = await adapter.callDelegated({
    address: ANY_ADDRESS,
    delegate: delegate.address,
    code: delegate.code,
    data: sweepOne.encode([]),
  })
  return answer !== null && answer.length === WORD_DIGITS && BigInt(answer) === 0n
}

/** Asks the node for gas costs that an upgrade of the chain may have raised (EIP-8037). */
export const measureGas = async (round: EvmRound): Promise<Pick<EvmRound, 'authorization' | 'newAccount'>> => {
  const { hotAddress, policy, runtime } = round
  const state = await currentState(round)
  const [authorization, payment] = await Promise.all([
    policy.setCode === 'off' ? undefined : state.authorizationGas(hotAddress),
    state.estimateGas({ from: hotAddress, to: addressWithoutHistory(runtime.newId()), value: 1n, data: '0x' }),
  ])
  return { authorization, newAccount: payment.ok ? payment.gas : undefined }
}

export interface Candidate {
  account: EvmAccount
  holdings: EvmHolding[]
}

/**
 * Returns holdings in chain units, with their worth in the coin; without those that have no price or may not be swept.
 */
export const valued = (
  { catalogue, network, permitted }: EvmRound,
  holder: Holder,
  usd: ReadonlyMap<string, bigint>,
): EvmHolding[] =>
  holder.holdings.flatMap((holding) => {
    const worth = permitted.all.has(holding.asset)
      ? worthInCoin(catalogue, network, holding.asset, holding.units, usd)
      : undefined
    if (worth === undefined) return []
    return [
      {
        ...holding,
        worth,
        on: assetOn(catalogue, network, holding.asset).on,
        amount: chainAmount(catalogue, network, holding),
      },
    ]
  })

/**
 * Reads the accounts of holders. A holder with less at the final block than the books have is skipped, with a log
 * entry: the comparison of books and chain reports it. One of a stolen seed is kept, with what the chain has.
 */
export const readCandidates = async (
  round: EvmRound,
  holders: readonly { holder: Holder; holdings: EvmHolding[] }[],
): Promise<Candidate[]> => {
  const { adapter, runtime, network } = round
  const height = await finalHeightOf(runtime.db, network)
  if (height === undefined || holders.length === 0) return []
  const wanted = holders.flatMap(({ holder, holdings }) =>
    holdings.map(({ on }) => ({ address: holder.address, contract: on === COIN ? null : on.toLowerCase() })),
  )
  const final = await adapter.balancesAt(height, wanted)
  let at = 0
  const sound = holders.flatMap(({ holder, holdings }) => {
    const held = final.slice(at, at + holdings.length)
    const short = holdings.filter(({ amount }, i) => held[i]! < amount)
    at += holdings.length
    // A theft of a part does not block the rest.
    if (round.firstSeed === 'stolen') {
      const left = holdings.flatMap((holding, i) => (held[i]! > 0n ? [leftOf(round, holding, held[i]!)] : []))
      return left.length > 0 ? [{ holder, holdings: left }] : []
    }
    if (short.length > 0)
      runtime.log.warn(
        { address: holder.address, network, assets: short.map(({ asset }) => asset) },
        'not swept: the chain has less than the books',
      )
    return short.length === 0 ? [{ holder, holdings }] : []
  })
  const state = await currentState(round)
  return Promise.all(
    sound.map(async ({ holder, holdings }) => ({ account: await readAccount(state, holder), holdings })),
  )
}

/** Returns what is left of a holding on the chain. */
const leftOf = ({ catalogue, network }: EvmRound, holding: EvmHolding, has: bigint): EvmHolding => {
  if (has >= holding.amount) return holding
  const { decimals, scale } = assetOn(catalogue, network, holding.asset)
  const worth = (holding.worth * has) / holding.amount
  return { ...holding, amount: has, units: rescale(has, decimals, scale), worth }
}

export const readAccount = async (state: AccountState, holder: Holder): Promise<EvmAccount> => {
  const { address } = holder
  const [nonce, code, [coin]] = await Promise.all([
    state.minedNonce(address),
    state.codeAt(address),
    state.balances([{ address, contract: null }]),
  ])
  return { holder, nonce, code, coin: coin! }
}

export const hexOf = (address: string): Hex => address as Hex
