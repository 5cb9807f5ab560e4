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

/**
 * Creates the job that empties the hot addresses of a first seed which a second has replaced (docs/decisions/0210): the
 * tokens, then the coin, to the first hot address of the second seed, behind what was sent before. What costs as much
 * to move as it is worth stays. Without a second seed it does nothing.
 */
export const createFirstSeedHotJob = (deps: EvmPayoutDeps, everyMs: number): Job => ({
  name: `empty the first seed ${deps.network}`,
  everyMs,
  run: async () => {
    const rate = await gasRateOf(deps)
    await forEachIsolated(await replacedHotAddresses(deps.runtime.db), (key) => emptyOne(deps, key, rate))
    return false
  },
})

const emptyOne = async (deps: EvmPayoutDeps, key: HotKey, rate: GasRate): Promise<void> => {
  const { runtime, network, adapter, policy } = deps
  const moving = await movingFrom(runtime.db, network)
  if ([...moving.keys()].some((sender) => sender.startsWith(`${key.address}/`))) return
  // A thief may have sent from the address: its nonces are used, and the rest of its money is still moved.
  const mined = await (await currentState({ runtime, network, adapter })).minedNonce(key.address)
  await skipUsed(runtime.db, network, key.address, mined)
  const [giver] = await readMembers({ ...deps, hotKeys: [key] }, [{ key }])
  if (!giver) return
  const isShort = await moveTokens(deps, giver, rate)
  const subject = `${network}/${key.address}`
  if (isShort) {
    const text = `The hot address ${key.address} on ${network} of the first seed has too little ${NATIVE_TICKER[network]} to pay its tokens to the second: send it a little. A thief may take it`
    await raiseAlert(runtime.db, { kind: 'first-seed-gas', subject, text }, momentOf(runtime))
    return
  }
  await resolveAlert(runtime.db, 'first-seed-gas', subject, momentOf(runtime).at)
  // A replacement of a payment of the address may cost more, so its coin stays until none is under way.
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
    if (cost !== undefined && cost >= units) continue
    if (await moveTo(deps, giver, { ticker, units }, rate)) giver.slots -= 1
    else isShort ||= giver.hotBalance.lacks(NATIVE_TICKER[network], feeOf(deps, MOVE_GAS, rate))
  }
  return isShort
}

const moveCoin = async (deps: EvmPayoutDeps, giver: Member, rate: GasRate): Promise<void> => {
  const ticker = NATIVE_TICKER[deps.network]
  const fee = feeOf(deps, PLAIN_GAS, rate)
  const units = giver.hotBalance.left(ticker) - fee
  if (units > fee) await moveTo(deps, giver, { ticker, units }, rate)
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
