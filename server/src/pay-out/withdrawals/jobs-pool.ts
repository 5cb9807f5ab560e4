import { NATIVE_TICKER } from '@bursar/chainkit'
import { rescale } from '../../platform/money/index.ts'
import {
  currentState,
  loadsOf,
  nativeLedgerUnits,
  soundNonce,
  type HotKey,
  type Load,
} from '../../chain/transactions/index.ts'
import { toColdOf } from '../../treasury/reconciliation/index.ts'
import { movingFrom } from './hot-moves.ts'
import type { EvmPayoutDeps } from './payouts.ts'
import type { Member } from './pool.ts'
import { HotBalance } from './hot-balance.ts'
import { unminedBySender } from './store.ts'

type Deps = Pick<EvmPayoutDeps, 'runtime' | 'network' | 'adapter' | 'catalogue' | 'hotKeys' | 'policy'>

/** Transactions that each hot address may still send now; those without any are left out. */
export const freeSlots = async ({
  runtime,
  network,
  hotKeys,
  policy,
}: Deps): Promise<{ key: HotKey; slots: number }[]> => {
  const loads = await loadsOf(
    runtime.db,
    network,
    hotKeys.map(({ address }) => address),
  )
  return hotKeys
    .map((key) => ({ key, slots: policy.mostInFlight - (loads.get(key.address)?.transactions ?? 0) }))
    .filter(({ slots }) => slots > 0)
}

const NOTHING: Load = { transactions: 0, fees: 0n }

/**
 * What hot addresses can still spend: what a block shows less everything that is not mined yet. The database is asked
 * first, and no block is taken that is older than what it has read, so that what is mined in between is subtracted
 * twice and never not at all. An address whose nonces are not sound is left out, which raises an alert.
 */
export const readMembers = async (deps: Deps, free: readonly { key: HotKey; slots: number }[]): Promise<Member[]> => {
  const { runtime, network, catalogue } = deps
  const all = free.map(({ key }) => key.address)
  const [loads, leaving, moving, cold] = await Promise.all([
    loadsOf(runtime.db, network, all),
    unminedBySender(runtime.db, network),
    movingFrom(runtime.db, network),
    Promise.all(all.map((address) => toColdOf(runtime.db, network, undefined, address))),
  ])
  const state = await currentState(deps)
  const nonces = await Promise.all(all.map((hotAddress) => soundNonce({ ...deps, hotAddress, state })))
  const sound = free.flatMap((one, i) =>
    nonces[i] === undefined ? [] : [{ ...one, nonces: nonces[i], toCold: cold[i]! }],
  )
  const assets = catalogue.crypto.filter((asset) => asset.networks.has(network))
  const wanted = sound.flatMap(({ key: { address } }) =>
    assets.map((asset) => ({ address, contract: asset.networks.get(network)!.contract })),
  )
  const balances = await state.balances(wanted)
  return sound.map(({ key, slots, nonces, toCold }, at) => {
    const fees = nativeLedgerUnits(catalogue, network, (loads.get(key.address) ?? NOTHING).fees)
    const left = assets.map((asset, i): [string, bigint] => {
      const { ticker, scale } = asset
      const held = rescale(balances[at * assets.length + i]!, asset.networks.get(network)!.decimals, scale)
      const gone =
        (leaving.get(`${key.address}/${ticker}`) ?? 0n) +
        (moving.get(`${key.address}/${ticker}`) ?? 0n) +
        (toCold.get(ticker) ?? 0n)
      return [ticker, held - gone - (ticker === NATIVE_TICKER[network] ? fees : 0n)]
    })
    return { key, slots, nonces, hotBalance: new HotBalance(new Map(left)) }
  })
}
