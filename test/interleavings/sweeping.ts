/** Sweeps of deposit addresses to the hot wallet; each address sends for itself. */
import { sql } from 'kysely'
import type { ChainTransaction } from '@bursar/chainkit'
import type { AccountChainAdapter } from '../../server/src/adapters/chains/port.ts'
import { createSendingJob } from '../../server/src/chain/transactions/index.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { createEvmSweepJob, DEFAULT_SWEEP_POLICY } from '../../server/src/treasury/sweeps/index.ts'
import { E18 } from '../world/deposits.ts'
import { HOT, type PayoutWorld } from '../world/payouts.ts'
import { catalogue, CONTRACT } from './assets.ts'
import { makeFinal, payUsdt, readBlocks, settlements } from './chain.ts'

const { signal } = new AbortController()
const policy = { ...DEFAULT_SWEEP_POLICY, setCode: 'off' } as const

/** Each address holds coin for its gas, and so many tokens. */
const holding = (adapter: AccountChainAdapter, units: bigint): AccountChainAdapter => {
  const balancesAt: AccountChainAdapter['balancesAt'] = async (_height, wanted) =>
    wanted.map(({ contract }) => (contract === null ? E18 : units))
  return {
    ...adapter,
    balancesAt,
    stateFrom: async (least) => ({
      ...(await adapter.stateFrom(least)),
      balances: (wanted) => balancesAt(least, wanted),
    }),
  }
}

/** Chooses balances to sweep, and plans the transfers. @param units of USDT at each address */
export const planSweeps = async (
  { runtime }: { runtime: Runtime },
  world: PayoutWorld,
  units: bigint,
): Promise<void> => {
  const job = createEvmSweepJob(
    {
      ...world.evm,
      runtime,
      catalogue,
      adapter: holding(world.evm.adapter, units),
      policy,
      sending: world.evm.policy,
      hotIndex: 0,
      allowed: async () => ({ all: new Set(['USDT']), signed: new Set<string>() }),
    },
    1,
  )
  // One run chooses, the next one plans the transfer of an address that has its gas.
  for (let run = 0; run < 2; run += 1) await job.run(signal)
}

/**
 * A sweep that a node has taken, and an address whose deposit is final and not swept.
 * @returns the transaction of the sweep, as a block will show it
 */
export const makeSweeps = async (
  world: PayoutWorld,
  { swept, held }: { swept: string; held: string },
  units: bigint,
): Promise<ChainTransaction> => {
  const { runtime, db } = world
  const arrive = async (address: string): Promise<void> => {
    await readBlocks(runtime, [payUsdt(address, units)], [])
    await makeFinal(runtime)
  }
  await arrive(swept)
  await planSweeps({ runtime }, world, units)
  await createSendingJob({ ...world.sends, subscribers: settlements }).run(signal)
  const { rows } = await sql<{ hash: string | null }>`select a.hash from outgoing_attempts a
    join sweeps s on s.outgoing_id = a.outgoing_id where s.address = ${swept}`.execute(db)
  const hash = rows[0]?.hash
  if (!hash) throw new Error(`${swept} was not swept`)
  await arrive(held)
  const transfer = { index: 'l:0', contract: CONTRACT, from: [swept], to: HOT, units }
  return { hash, keys: [`${swept}:0`], succeeded: true, fee: 1_000n, transfers: [transfer] }
}
