import { NATIVE_TICKER } from '@bursar/chainkit'
import { rescale } from '../../../platform/money/index.ts'
import { tronPayment } from '../../../chain/transactions/index.ts'
import { raiseAlert, resolveAlert } from '../../../platform/runtime/alerts.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { chooseTronSweep, sendableTrx, type TronChoice, type TronWay } from './choice.ts'
import type { TronSweepDeps } from './deps.ts'
import { bytesOf, lookAtToken, sunOf, type TronView } from './looking.ts'
import { planPreparing, planTransfer, type TronPlanned } from './plans.ts'
import { dropSweep, storeStep, type TronTarget } from './storing.ts'

/** Decides whether a sweep is worth its remaining cost, in sun. */
export type Judge = (cost: bigint) => boolean

/**
 * Plans the next transaction of one sweep. Returns true when one was planned. Throws `Overtaken` when the view is out
 * of date.
 */
export const createTronStepping =
  (deps: TronSweepDeps, view: TronView) =>
  async (target: TronTarget, judge: Judge): Promise<boolean> => {
    const asset = deps.catalogue.findCrypto(target.asset)!
    const on = asset.networks.get('TRON')!
    const units = rescale(target.units, asset.scale, on.decimals)
    return on.contract === null
      ? stepTrx(deps, view, target, units, judge)
      : stepToken(deps, view, target, { contract: on.contract, units }, judge)
  }

const stepTrx = async (
  deps: TronSweepDeps,
  view: TronView,
  target: TronTarget,
  units: bigint,
  judge: Judge,
): Promise<boolean> => {
  const { address } = target
  const payment = (sun: bigint) => tronPayment({ from: address, to: deps.hotAddress, units: sun, contract: null })
  const [resources, sun] = [await deps.adapter.resourcesOf(address), await sunOf(deps.adapter, address)]
  const bytes = bytesOf(payment(units), view.reference)
  const left = sendableTrx({ sun, bytes, prices: view.prices, resources })
  const sent = left.sun < units ? left.sun : units
  if (sent <= 0n || !judge(left.cost)) return false
  const planned = planTransfer(deps, view, target, payment(sent), { bandwidth: bytes, energy: 0n, activates: false })
  return store(deps, view, target, 'own', planned)
}

const stepToken = async (
  deps: TronSweepDeps,
  view: TronView,
  target: TronTarget,
  token: { contract: string; units: bigint },
  judge: Judge,
): Promise<boolean> => {
  const look = await lookAtToken(deps, view, { address: target.address, ...token })
  if (!look.ok) return refused(deps, target, look.message)
  await resolveAlert(deps.runtime.db, 'sweep-refused', subjectOf(target), momentOf(deps.runtime).at)
  const choice = chooseTronSweep(look.figures)
  if (!judge(choice.cost)) return false
  const planned =
    choice.step.kind === 'send'
      ? planTransfer(deps, view, target, look.transfer, look.usage)
      : planPreparing(deps, view, target, choice.step, look.figures.address.isActivated)
  if (choice.step.kind === 'top-up' && choice.step.sun > view.maxTopUp) {
    return tooDear(
      deps,
      target,
      `it needs ${choice.step.sun} sun, above the signer's limit of ${view.maxTopUp} for one top-up`,
    )
  }
  if (!(await canPay(deps, view, choice, planned))) return false
  const stored = await store(deps, view, target, choice.way, planned)
  if (stored) takeFrom(view, choice, planned)
  return stored
}

const store = async (
  deps: TronSweepDeps,
  view: TronView,
  target: TronTarget,
  way: TronWay,
  planned: TronPlanned,
): Promise<boolean> => {
  const { runtime, maxFee } = deps
  const { networkFee, id } = planned.outgoing
  if (networkFee > maxFee)
    return tooDear(deps, target, `TRON could take ${networkFee} sun for it, above the cap of ${maxFee}`)
  await resolveAlert(runtime.db, 'fee-above-cap', subjectOf(target), momentOf(runtime).at)
  await deps.pause('sweep-step-chosen')
  const stored = await storeStep(deps, target, way, planned, view.hot.planned)
  if (stored) runtime.log.debug({ outgoing: id, address: target.address, way }, 'a sweep continues')
  await deps.pause('sweep-step-planned')
  return stored
}

const tooDear = async ({ runtime }: TronSweepDeps, target: TronTarget, why: string): Promise<false> => {
  const text = `Sweeping ${target.asset} of ${target.address} waits: ${why}`
  await raiseAlert(runtime.db, { kind: 'fee-above-cap', subject: subjectOf(target), text }, momentOf(runtime))
  return false
}

const subjectOf = ({ asset, address }: TronTarget): string => `TRON/${asset}/${address}`

/**
 * Handles a refusal by the contract. It may be temporary: the token may be paused, or the address be on a list of its
 * issuer.
 */
const refused = async (deps: TronSweepDeps, target: TronTarget, message: string): Promise<false> => {
  const { runtime } = deps
  const text = `${target.asset} of ${target.address} on TRON can't be swept: its contract refuses (${message})`
  await raiseAlert(runtime.db, { kind: 'sweep-refused', subject: subjectOf(target), text }, momentOf(runtime))
  await dropSweep(deps, target)
  return false
}

const ALERT = { kind: 'hot-wallet-short', subject: 'TRON/sweeps' } as const

/** Returns the amount that the hot address spends on it, fees included. */
const spentBy = ({ step }: TronChoice, { outgoing }: TronPlanned): bigint =>
  step.kind === 'send' ? 0n : outgoing.networkFee + (step.kind === 'top-up' ? step.sun : 0n)

const canPay = async (
  { runtime, hotAddress }: TronSweepDeps,
  { hot }: TronView,
  choice: TronChoice,
  planned: TronPlanned,
): Promise<boolean> => {
  if (spentBy(choice, planned) <= hot.sun) {
    await resolveAlert(runtime.db, ALERT.kind, ALERT.subject, momentOf(runtime).at)
    return true
  }
  const text = `The hot wallet ${hotAddress} on ${NATIVE_TICKER.TRON}'s network has too little TRX to prepare sweeps: send it more, or stake for energy`
  await raiseAlert(runtime.db, { ...ALERT, text }, momentOf(runtime))
  return false
}

const takeFrom = ({ hot }: TronView, choice: TronChoice, planned: TronPlanned): void => {
  hot.sun -= spentBy(choice, planned)
  hot.lendable -= planned.lends ?? 0n
  if (choice.step.kind !== 'send') hot.planned += 1
}
