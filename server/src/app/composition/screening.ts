import { randomBytes } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import type { AccountChainAdapter, ChainAdapter } from '../../adapters/chains/port.ts'
import { isSignedReturn } from '../../treasury/adjustments/index.ts'
import { createInternalTransfers } from '../../adapters/screening/internal-transfers.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { createHaltedJob } from './rescreening.ts'
import { createScreeners, type ScreeningFile } from './screening-file.ts'
import {
  hasHash,
  wasHeld,
  type CreditedSubscriber,
  type Deposit,
  type Deposits,
  type HeldSubscriber,
} from '../../pay-in/deposits/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import {
  ask,
  complianceOf,
  createListAgeJob,
  createScreenJob,
  createWaitingAlarm,
  decide,
  findScreening,
  lockDeposits,
  lookUpListed,
  screeningsOfSender,
  statesOf,
  type DecidedSubscriber,
  type JudgedSubscriber,
  type Screening,
  type ScreeningRules,
  type ScreeningState,
} from '../../risk/screening/index.ts'
import { haltWaiting, type Withdrawal } from '../../pay-out/withdrawals/index.ts'

const newToken = (): string => randomBytes(16).toString('hex')

/**
 * Requests one judgement of every deposit that is credited. A deposit that was judged while a reorganisation had
 * removed it gets that judgement applied now. The request waits for a judgement that is being stored, so that one of
 * the two transactions sees the other.
 * @param deposits the module that calls this
 */
export const createScreenCredited =
  (publicUrl: string, deposits: () => Pick<Deposits, 'verify'>): CreditedSubscriber =>
  async (tx, credited, moment) => {
    await ask(
      tx,
      credited.map(({ deposit }) => askedOf(deposit)),
      newToken,
      moment,
    )
    const all: Effects[] = []
    for (const { deposit, again } of credited) {
      const judged = again ? await findScreening(tx, 'deposit', deposit.merchantId, deposit.id) : undefined
      if (judged?.report)
        all.push(
          await deposits().verify(
            tx,
            { merchantId: deposit.merchantId, id: deposit.id, compliance: complianceOf(judged, publicUrl) },
            moment,
          ),
        )
    }
    return joinEffects(all)
  }

/**
 * Requests one judgement of every deposit that is held. If a deposit was already judged or decided before a
 * reorganisation removed it, that result is applied. No judgement is stored meanwhile: its writer waits until the
 * deposit is held.
 * @param deposits the module that calls this
 */
export const createScreenHeld =
  (publicUrl: string, deposits: () => Pick<Deposits, 'clear' | 'reject'>): HeldSubscriber =>
  async (tx, held, moment) => {
    await ask(tx, held.map(askedOf), newToken, moment)
    const all: (Effects | undefined)[] = []
    for (const screening of await lockDeposits(tx, held)) {
      const { merchantId, subjectId: id, state } = screening
      if (state === 'clean' || state === 'released')
        all.push(await deposits().clear(tx, { merchantId, id, compliance: complianceOf(screening, publicUrl) }, moment))
      if (state === 'rejected') all.push(await deposits().reject(tx, { merchantId, id }, moment))
    }
    return joinEffects(all.filter((effects) => effects !== undefined))
  }

/** Applies operators' decisions: a quarantined deposit is credited, or rejected for good. */
export const createDecided =
  (publicUrl: string, deposits: Pick<Deposits, 'clear' | 'reject'>): DecidedSubscriber =>
  async (tx, screening, before, moment) => {
    const { merchantId, subjectId: id, kind, state } = screening
    if (state === 'released' && kind === 'deposit') {
      const cleared = await deposits.clear(
        tx,
        { merchantId, id, compliance: complianceOf(screening, publicUrl) },
        moment,
      )
      if (cleared === undefined && before === 'unanswered')
        throw new Error(
          'the deposit is not in quarantine: it is on the balance already, or a reorganisation has just taken it away; providers are still being asked',
        )
      return cleared ?? noEffects
    }
    if (state === 'released') return noEffects
    if (kind === 'withdrawal')
      throw new Error('the withdrawal has left: there is nothing to reject; release notes that it has been looked at')
    const effects = await deposits.reject(tx, { merchantId, id }, moment)
    if (effects === undefined)
      throw new Error(
        'the deposit is not in quarantine: it is on the balance already, or a reorganisation has just taken it away',
      )
    return effects
  }

/**
 * Whether the deposit was put into quarantine, which it leaves only by a judgement or a decision, in any state.
 */
const isHeldDeposit = async (tx: Tx, { kind, merchantId, subjectId }: Screening): Promise<boolean> =>
  kind === 'deposit' && (await wasHeld(tx, { merchantId, id: subjectId }))

const askedOf = (deposit: Deposit) => ({
  merchantId: deposit.merchantId,
  kind: 'deposit' as const,
  subjectId: deposit.id,
  subject: subjectOf(deposit),
})

const subjectOf = (deposit: Deposit) => ({
  network: deposit.network,
  asset: deposit.asset,
  direction: 'deposit' as const,
  transaction: hasHash(deposit) ? deposit.transaction : null,
  own: deposit.address,
  others: deposit.senders,
  ...(deposit.sendersOmitted === true && { othersOmitted: true }),
  internal: deposit.internal ? deposit.transaction : null,
})

export interface ScreeningWorld {
  runtime: Runtime
  catalogue: Catalogue
  publicUrl: string
  /** null: no screening */
  screening: ScreeningFile | null
}

/**
 * Admits withdrawals that screening has passed, and requests judgements of new ones, because a payment on a chain can't
 * be reversed. Nothing is signed for a withdrawal before it is admitted.
 */
export const createAdmission =
  ({ runtime, screening }: Pick<ScreeningWorld, 'runtime' | 'screening'>) =>
  async (withdrawals: readonly Withdrawal[]): Promise<Withdrawal[]> => {
    if (screening === null || withdrawals.length === 0) return [...withdrawals]
    const states = await statesOf(
      runtime.db,
      'withdrawal',
      withdrawals.map(({ id }) => id),
    )
    const fresh = withdrawals.filter(({ id }) => !states.has(id))
    await ask(
      runtime.db,
      fresh.map((withdrawal) => ({
        merchantId: withdrawal.merchantId,
        kind: 'withdrawal',
        subjectId: withdrawal.id,
        subject: destinationOf(withdrawal),
      })),
      newToken,
      momentOf(runtime),
    )
    return withdrawals.filter(({ id }) => passes(states.get(id), screening.rules))
  }

const passes = (state: ScreeningState | undefined, { whenUnanswered }: ScreeningRules): boolean =>
  state === 'clean' || state === 'released' || (state === 'unanswered' && whenUnanswered === 'flag')

const destinationOf = ({ blockchain, ticker, to }: Withdrawal) => ({
  network: blockchain,
  asset: ticker,
  direction: 'withdrawal' as const,
  transaction: null,
  own: null,
  others: [to],
})

/**
 * Halts a withdrawal with a risky destination; `createHaltedJob` rejects it once the signer has closed its intent. A
 * withdrawal that was sent before it was judged can't be recalled, so an operator has to look at it. Rejected money may
 * be returned to its source.
 */
const haltRisky: JudgedSubscriber = async (tx, { merchantId, id, kind, subjectId, report }, moment) => {
  if (kind !== 'withdrawal' || !report.risky) return noEffects
  if (await isSignedReturn(tx, { merchantId, id: subjectId })) await decide(tx, { merchantId, id }, 'released', moment)
  else await haltWaiting(tx, { merchantId, id: subjectId })
  return noEffects
}

/** Tokens whose issuers can freeze an address, and publish the frozen ones. */
const FREEZABLE = ['USDT', 'USDC']

/** Asks the chain which of these tokens have frozen an address; undefined when there are no such tokens, or no node. */
export const createFrozenBy =
  (catalogue: Catalogue, adapters: ReadonlyMap<Network, ChainAdapter>) =>
  async (network: Network, address: string): Promise<string[] | undefined> => {
    const adapter = adapters.get(network)
    const tokens = FREEZABLE.flatMap((ticker) => {
      const contract = catalogue.findCrypto(ticker)?.networks.get(network)?.contract
      return contract ? [{ ticker, contract }] : []
    })
    if (adapter === undefined || !('isFrozen' in adapter) || tokens.length === 0) return undefined
    const frozen: string[] = []
    for (const { ticker, contract } of tokens)
      if (await (adapter as AccountChainAdapter).isFrozen(contract, address)) frozen.push(ticker)
    return frozen
  }

/** Composes a worker's screening jobs; without settings, only the one that lets halted withdrawals proceed. */
export const createScreeningJobs = (
  { runtime, catalogue, publicUrl, screening }: ScreeningWorld,
  {
    deposits,
    adapters,
    signer,
    pause,
  }: {
    deposits: Pick<Deposits, 'verify'>
    adapters: ReadonlyMap<Network, ChainAdapter>
    signer: Pick<Signer, 'closeIntent'>
    pause: PausePoint
  },
): Job[] => {
  const halted = createHaltedJob({ runtime, catalogue, publicUrl, signer, screens: screening !== null, pause })
  if (screening === null) return [halted]
  const verify: JudgedSubscriber = (tx, judged, moment) =>
    judged.kind === 'deposit'
      ? deposits.verify(
          tx,
          { merchantId: judged.merchantId, id: judged.subjectId, compliance: complianceOf(judged, publicUrl) },
          moment,
        )
      : Promise.resolve(noEffects)
  const { now } = runtime.clock
  const providers = createScreeners(screening, {
    lookUp: (addresses) => lookUpListed(runtime.db, addresses),
    frozenBy: createFrozenBy(catalogue, adapters),
    now,
  })
  const screeners = [...providers, createInternalTransfers((id) => screeningsOfSender(runtime.db, id), now)]
  const job = createScreenJob({
    runtime,
    screeners,
    rules: screening.rules,
    onJudged: [verify, haltRisky],
    mustBeKnown: isHeldDeposit,
    pause,
  })
  const usesLists = screening.providers.some(({ kind }) => kind === 'local-lists')
  return [job, createWaitingAlarm(runtime), halted, ...(usesLists ? [createListAgeJob(runtime)] : [])]
}
