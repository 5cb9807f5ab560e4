import { NATIVE_TICKER } from '@bursar/chainkit'
import { replacedHotAddresses } from '../../chain/addresses/index.ts'
import { currentState, nativeLedgerUnits, planEvm, skipUsed, type HotKey } from '../../chain/transactions/index.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { movingFrom, readMembers, type Member } from './hot-wallet.ts'
import { gasRateOf, PLAIN_GAS, type EvmPayoutDeps, type GasRate } from './payouts.ts'
import { MOVE_GAS, planHotMove } from './rebalancing.ts'
import { costIn } from './terms.ts'

/** A move is worth its fee at least so many times. Smaller amounts stay until more is there. */
const WORTH = 10n
/** Gas that stays at an old hot address: coin for sweeps of deposits that arrive later. */
const RESERVE_GAS = 2_000_000n

export interface DrainDeps extends EvmPayoutDeps {
  /** `stolen` when another party may have the first seed */
  firstSeed: 'replaced' | 'stolen'
}

/**
 * Creates the job that moves the money of the hot addresses of a replaced first seed (docs/decisions/0210) to the first
 * hot address of the second: the tokens, then the coin without a reserve for sweeps, behind what was sent before. The
 * old hot addresses pay for it themselves.
 */
export const createDrainJob = (deps: DrainDeps, everyMs: number): Job => ({
  name: `drain of the first seed ${deps.network}`,
  everyMs,
  run: async () => {
    const old = await replacedHotAddresses(deps.runtime.db)
    if (old.length === 0) return false
    const rate = await gasRateOf(deps)
    await forEachIsolated(old, (key) => drainOne(deps, key, rate))
    return false
  },
})

const drainOne = async (deps: DrainDeps, key: HotKey, rate: GasRate): Promise<void> => {
  const { runtime, network, adapter, policy } = deps
  const moving = await movingFrom(runtime.db, network)
  if ([...moving.keys()].some((sender) => sender.startsWith(`${key.address}/`))) return
  // A thief may have sent from the address: its nonces are used, and the rest of its money is still moved.
  if (deps.firstSeed === 'stolen') {
    const mined = await (await currentState({ runtime, network, adapter })).minedNonce(key.address)
    await skipUsed(runtime.db, network, key.address, mined)
  }
  const [giver] = await readMembers({ ...deps, hotKeys: [key] }, [{ key }])
  if (!giver) return
  const isShort = await moveTokens(deps, giver, rate)
  const subject = `${network}/${key.address}/tokens`
  if (isShort) {
    const text = `The hot address ${key.address} on ${network} of the first seed has too little ${NATIVE_TICKER[network]} to pay its tokens to the second: send it a little`
    await raiseAlert(runtime.db, { kind: 'first-seed-gas', subject, text }, momentOf(runtime))
    return
  }
  await resolveAlert(runtime.db, 'first-seed-gas', subject, momentOf(runtime).at)
  // A replacement of a transaction of the address may cost more, so its coin stays until none is under way.
  if (giver.slots === policy.mostInFlight) await moveCoin(deps, giver, rate)
}

/** Plans the transfers of all tokens that are worth their cost. Returns whether the coin is too little for one. */
const moveTokens = async (deps: EvmPayoutDeps, giver: Member, rate: GasRate): Promise<boolean> => {
  const { runtime, network, catalogue } = deps
  const tickers = catalogue.crypto.map(({ ticker }) => ticker)
  const prices = await freshPrices(runtime.db, tickers, new Date(runtime.clock.now()))
  let isShort = false
  for (const asset of catalogue.crypto) {
    const { ticker } = asset
    const units = giver.hotBalance.left(ticker)
    if (ticker === NATIVE_TICKER[network] || units <= 0n || !asset.networks.has(network)) continue
    const cost = costIn(asset, network, MOVE_GAS * rate.maxFeePerGas, { catalogue, prices })
    if (cost !== undefined && cost * WORTH >= units) continue
    if (await moveTo(deps, giver, { ticker, units }, rate)) giver.slots -= 1
    else isShort ||= giver.hotBalance.lacks(NATIVE_TICKER[network], feeOf(deps, MOVE_GAS, rate))
  }
  return isShort
}

const moveCoin = async (deps: EvmPayoutDeps, giver: Member, rate: GasRate): Promise<void> => {
  const ticker = NATIVE_TICKER[deps.network]
  const units = giver.hotBalance.left(ticker) - feeOf(deps, PLAIN_GAS + RESERVE_GAS, rate)
  if (units > feeOf(deps, PLAIN_GAS, rate) * WORTH) await moveTo(deps, giver, { ticker, units }, rate)
}

const feeOf = ({ network, chainId, hotAddress, catalogue }: EvmPayoutDeps, gas: bigint, rate: GasRate): bigint => {
  const call = { to: hotAddress, value: 0n, data: '0x' }
  return nativeLedgerUnits(catalogue, network, planEvm({ network, chainId, nonce: 0, call, gas, rate }).networkFee)
}

const moveTo = (
  deps: EvmPayoutDeps,
  giver: Member,
  part: { ticker: string; units: bigint },
  rate: GasRate,
): Promise<boolean> => {
  const taker = deps.hotKeys[0]!
  return planHotMove(deps, { giver, taker, move: { ...part, from: giver.key.address, to: taker.address }, rate })
}
