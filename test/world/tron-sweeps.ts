/**
 * Sweeps on TRON beside payouts from deposit addresses: the jobs of both over `tron.ts`, in processes that can be
 * killed.
 */
import { sql } from 'kysely'
import { createTronDirect } from '../../server/src/pay-out/from-deposit-addresses/index.ts'
import { createTronPayoutJob, spendableSun } from '../../server/src/pay-out/withdrawals/index.ts'
import { createTronSweepJob, DEFAULT_SWEEP_POLICY, type SweepPolicy } from '../../server/src/treasury/sweeps/index.ts'
import { orderStake, type StakeOrder } from '../../server/src/treasury/sweeps/tron/stake.ts'
import { runAll } from './network.ts'
import { setPrices } from './prices.ts'
import { policyFile } from './signer.ts'
import { liftStops, stopMoney } from './stops.ts'
import { openTron, SOLID } from './tron.ts'
import { TRON_HOT } from './wallet.ts'

const E18 = 10n ** 18n
const MOST_STEPS = 12

/** Thrown by a pause point in place of the death of the process. */
export class Killed extends Error {
  override name = 'Killed'
}

export type TronSweeps = Awaited<ReturnType<typeof openTronSweeps>>

/** @param given `trx`: the balance of the hot wallet, decimal text */
export const openTronSweeps = async (url: string, given: Partial<SweepPolicy> & { trx?: string } = {}) => {
  const { trx = '5000', ...more } = given
  const policy: SweepPolicy = { ...DEFAULT_SWEEP_POLICY, kPerMille: 2_000n, ...more }
  // A process that dies at a named point, or nowhere.
  let fatal: { name: string; passes: number } | undefined
  let other: { name: string; work: () => Promise<unknown> } | undefined
  const points = new Set<string>()
  const pause = async (name: string): Promise<void> => {
    points.add(name)
    if (other?.name === name) {
      const { work: meanwhile } = other
      other = undefined
      await meanwhile()
    }
    if (fatal?.name !== name || (fatal.passes -= 1) >= 0) return
    fatal = undefined
    throw new Killed(name)
  }
  const tron = await openTron({
    url,
    hotHas: { TRX: trx },
    signing: { policy: { sweep: policyFile.networks.TRON.sweep } },
    pause,
  })
  const { db, runtime } = tron
  const deps = { ...tron.deps, hotAddress: TRON_HOT }
  const permission = { assets: new Set(['TRX', 'USDT']), mayDelegateEnergy: true, maxTopUp: 20_000_000n }
  const spendable = () => spendableSun(deps)
  /** Jobs as a process begins with: their caches are empty. */
  const start = () => ({
    payouts: createTronPayoutJob({ ...deps, fromDeposits: createTronDirect({ ...deps, sweeps: policy }) }, 0),
    sweep: createTronSweepJob(
      { ...deps, policy, maxFee: deps.policy.maxFee, allowed: async () => permission, spendable },
      0,
    ),
    send: tron.sendJob(),
  })
  let jobs = start()
  const signal = new AbortController().signal
  const prices = () => setPrices(runtime, { TRX: E18 / 4n, USDT: E18 })
  /** Signed, handed over. */
  const send = async (): Promise<void> => {
    for (let round = 0; round < 2; round += 1) await runAll(jobs.send)
  }
  /** Payouts are planned, without sweeps. */
  const plan = async (): Promise<void> => {
    await prices()
    await jobs.payouts.run(signal)
  }
  const work = async (): Promise<void> => {
    await plan()
    await jobs.sweep.run(signal)
    await send()
  }
  const sweeps = async (): Promise<{ asset: string; address: string; way: string; state: string }[]> =>
    (
      await sql<{
        asset: string
        address: string
        way: string
        state: string
      }>`select asset, address, way, state from sweeps order by created_at, id`.execute(db)
    ).rows
  const openLoans = async (): Promise<number> =>
    (await sql<{ n: number }>`select count(*) as n from tron_loans where closed_at is null`.execute(db)).rows[0]!.n
  const outgoing = async (purpose: string) => (await tron.sent()).filter((one) => one.purpose === purpose)
  const isQuiet = async (): Promise<boolean> =>
    (await openLoans()) === 0 &&
    (await sweeps()).every(({ state }) => ['final', 'failed', 'replaced'].includes(state)) &&
    (await sql`select from outgoing where state not in ('final', 'failed', 'abandoned')`.execute(db)).rows.length === 0
  const order = (wanted: StakeOrder) =>
    orderStake(
      {
        ...deps,
        spendable: async () => {
          const read = await spendable()
          await pause('stake-read')
          return read
        },
      },
      wanted,
    )
  /** Works and mines final blocks until nothing is under way any more. */
  const settle = async (): Promise<void> => {
    for (let step = 0; step < MOST_STEPS; step += 1) {
      await work()
      await work()
      if (step > 0 && (await isQuiet())) return
      await tron.mine(SOLID)
    }
    throw new Error(`not settled: ${JSON.stringify(await sweeps())}`)
  }
  return {
    ...tron,
    adapter: deps.adapter,
    points,
    permission,
    work,
    plan,
    send,
    settle,
    sweeps,
    openLoans,
    outgoing,
    order,
    stake: async (wanted: StakeOrder): Promise<void> => {
      const ordered = await order(wanted)
      if ('refused' in ordered) throw new Error(ordered.refused)
      await settle()
    },
    /** The next process dies when it passes this point once more than `passes` times. */
    killAt: (name: string, passes = 0): void => void (fatal = { name, passes }),
    isArmed: (): boolean => fatal !== undefined,
    /** Another process works while a job stands at this point the next time. */
    meanwhile: (name: string, work: () => Promise<unknown>): void => void (other = { name, work }),
    restart: (): void => void (jobs = start()),
    job: () => start().sweep,
    payoutJob: () => start().payouts,
    /** Who pays, in the order planned. */
    payers: async (): Promise<string[]> => (await outgoing('payout')).map(({ senders }) => senders[0]!),
    /** sun of the hot address */
    spendable: async (): Promise<bigint> => (await spendable()).sun,
    prices,
    costOf: async (merchantId: string): Promise<bigint> => -(await tron.balance(merchantId, 'TRX', 'network-costs')),
    /** The TRX that the transactions of each purpose burnt, in sun. */
    burnt: async (): Promise<Record<string, bigint>> => {
      const total: Record<string, bigint> = {}
      for (const { purpose, fee } of await tron.sent()) if (fee !== null) total[purpose] = (total[purpose] ?? 0n) + fee
      return total
    },
    stop: (asset: string | null) => stopMoney(db, { asset }),
    lift: () => liftStops(db),
  }
}
