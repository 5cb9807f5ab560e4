import type { ChainAdapter } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import type { Job } from '../jobs/index.ts'
import { auditLedger, findBrokenSeal, anchorDay, sealEntries, type Finding } from '../ledger/index.ts'
import { inTransaction } from '../db/index.ts'
import { formatUnits } from '../money/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import { freeze } from './freezes.ts'
import { assetsOn, compareCustody, readBookedCustody, type CustodyLine } from './reconcile.ts'

/**
 * Holds what the books say against what the chain says, at the block the watcher has read to. Undefined when the two can't
 * be compared now: the network has not been read, or its head has moved on where the chain keeps no history.
 */
export const reconcileNetwork = async (
  runtime: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
): Promise<CustodyLine[] | undefined> => {
  const { network } = adapter
  const booked = await readBookedCustody(runtime.db, network)
  if (!booked || (await adapter.hashAt(booked.height)) !== booked.hash) return undefined
  const head = await adapter.head()
  if (network === 'BITCOIN' && head.hash !== booked.hash) return undefined
  const assets = assetsOn(catalogue, network)
  const wanted = assets.flatMap(({ on }) => booked.addresses.map((address) => ({ address, contract: on.contract })))
  const balances = await adapter.balancesAt(booked.height, wanted)
  if (network === 'BITCOIN' && (await adapter.head()).hash !== booked.hash) return undefined
  return compareCustody(network, booked, assets, balances)
}

/** Compares every network every so often; a shortage freezes withdrawals of that asset, anything else only alerts. */
export const createReconcileJob = (
  runtime: Runtime,
  catalogue: Catalogue,
  adapters: readonly ChainAdapter[],
  everyMs: number,
): Job => ({
  name: 'reconcile custody',
  everyMs,
  run: async () => {
    for (const adapter of adapters) {
      const lines = await reconcileNetwork(runtime, catalogue, adapter)
      for (const line of lines ?? []) await judgeLine(runtime, catalogue, line)
    }
    return false
  },
})

const judgeLine = async (runtime: Runtime, catalogue: Catalogue, line: CustodyLine): Promise<void> => {
  const moment = momentOf(runtime)
  const subject = `${line.network}/${line.ticker}`
  const { scale } = catalogue.findCrypto(line.ticker)!
  const difference = line.onChain - line.booked
  const figures = `books ${formatUnits(line.booked, scale)}, chain ${formatUnits(line.onChain, scale)} at block ${line.height}`
  await inTransaction(runtime.db, async (tx) => {
    if (difference >= 0n) await resolveAlert(tx, 'custody-shortage', subject, moment.at)
    if (difference <= 0n) await resolveAlert(tx, 'custody-surplus', subject, moment.at)
    if (difference === 0n) return
    const short = difference < 0n
    const text = short
      ? `${line.ticker} on ${line.network} is short by ${formatUnits(-difference, scale)} (${figures}); its withdrawals are stopped`
      : `${line.ticker} on ${line.network} holds ${formatUnits(difference, scale)} more than booked (${figures})`
    await raiseAlert(tx, { kind: short ? 'custody-shortage' : 'custody-surplus', subject, text }, moment)
    if (short) await freeze(tx, { asset: line.ticker, merchantId: null, reason: `custody on ${line.network} is short` }, moment)
  })
}

/** Advances the hash chains of the ledger, and anchors them once a day. */
export const createSealJob = (runtime: Runtime, everyMs: number): Job => ({
  name: 'seal ledger',
  everyMs,
  run: async () => {
    const at = new Date(runtime.clock.now())
    const sealed = await inTransaction(runtime.db, (tx) => sealEntries(tx, at))
    const anchor = await inTransaction(runtime.db, (tx) => anchorDay(tx, at))
    if (anchor) runtime.log.info({ anchor: anchor.toString('hex') }, 'ledger anchored: keep this hash somewhere else')
    return sealed > 0
  },
})

/** The ledger held against itself and its hash chains. */
export const auditBooks = async ({ db }: Runtime): Promise<{ findings: Finding[]; brokenSeal: { accountId: number; version: number } | null }> => ({
  findings: await auditLedger(db),
  brokenSeal: await findBrokenSeal(db),
})
