import { carryOut } from '../../ledger/effects/index.ts'
import {
  creditedAt,
  decidedSums,
  undecidedDeposits,
  undecidedSums,
  type UndecidedDeposit,
} from '../../pay-in/deposits/index.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { databaseIdentity, requireSignature } from '../../treasury/adjustments/index.ts'
import { arrivedAtSecondSeed, movedFrom, placeKey } from '../../treasury/reconciliation/index.ts'
import { createChainSubscribers } from '../composition/index.ts'
import { withInstallation, type Opened } from '../installation/open.ts'
import { worldOf } from '../installation/world.ts'
import { actor } from './recording.ts'
import { command, text, UsageError, type Command } from './command.ts'

/*
 * Decisions about deposits at addresses of a stolen first seed on EVM chains (docs/operating/rotation.md).
 */

/** The most deposits that one list or one text has. */
const MOST = 1_000

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Decision = 'credit' | 'refuse'

const decisionOf = (typed: string): Decision => {
  if (typed !== 'credit' && typed !== 'refuse') throw new UsageError('DECISION is credit or refuse')
  return typed
}

const amountOf = ({ config }: Opened, asset: string, units: bigint): string => {
  const scale = config.assets?.findCrypto(asset)?.scale
  return scale === undefined ? `${units} units` : formatUnits(units, scale)
}

/**
 * Returns by id the part of each deposit that has not moved from its own address to our hot addresses, in ledger units:
 * what moved covers the deposits that were credited there before, and then those that wait, the oldest first.
 */
const missingOf = async (db: Db | Tx, waiting: readonly UndecidedDeposit[]): Promise<ReadonlyMap<string, bigint>> => {
  const [moved, credited] = await Promise.all([movedFrom(db, waiting), creditedAt(db, waiting, placeKey)])
  const left = new Map<string, bigint>()
  const missing = new Map<string, bigint>()
  for (const deposit of waiting) {
    const key = placeKey(deposit)
    const free = left.get(key) ?? (moved.get(key) ?? 0n) - (credited.get(key) ?? 0n)
    const lacks = deposit.units > free ? deposit.units - (free > 0n ? free : 0n) : 0n
    missing.set(deposit.id, lacks)
    left.set(key, lacks > 0n ? 0n : free - deposit.units)
  }
  return missing
}

/**
 * Returns the oldest deposits of an asset that wait and whose money has moved from their own addresses, as far as the
 * sum that has arrived at the second seed and is not credited covers.
 */
const coveredOf = async (db: Db, key: string): Promise<UndecidedDeposit[]> => {
  const [network, asset] = key.split('/')
  if (!network || !asset) throw new UsageError('--asset is NETWORK/TICKER, for example ETHEREUM/USDT')
  const [arrived, decided, waiting] = await Promise.all([
    arrivedAtSecondSeed(db),
    decidedSums(db),
    undecidedDeposits(db, MOST, { network, asset }),
  ])
  const missing = await missingOf(db, waiting)
  let left = (arrived.get(key) ?? 0n) - (decided.get(key) ?? 0n)
  const covered: UndecidedDeposit[] = []
  for (const deposit of waiting) {
    if (missing.get(deposit.id)! > 0n) continue
    if (deposit.units > left) break
    left -= deposit.units
    covered.push(deposit)
  }
  return covered
}

/** Returns the named deposits in the order of the list. Throws an Error when one of them does not wait. */
const namedOf = async (db: Db | Tx, ids: readonly string[]): Promise<UndecidedDeposit[]> => {
  if (ids.length > MOST) throw new UsageError(`decide about at most ${MOST} deposits at once`)
  const waiting = await undecidedDeposits(db, MOST, { ids: ids.filter((id) => UUID.test(id)) })
  const unknown = ids.find((id) => !waiting.some((deposit) => deposit.id === id))
  if (unknown !== undefined) throw new Error(`deposit ${unknown} waits for no decision: see bursar first-seed list`)
  return waiting
}

const lineOf = (opened: Opened, deposit: UndecidedDeposit): string => {
  const { id, network, asset, units, address, merchantId, transaction, blockHash, createdAt } = deposit
  const amount = `${amountOf(opened, asset, units)} ${asset}`
  return `deposit: ${id}, ${amount} on ${network} at ${address}, merchant ${merchantId}, transaction ${transaction} in block ${blockHash}, seen ${createdAt.toISOString()}`
}

const textOf = async (
  opened: Opened,
  db: Db | Tx,
  decision: Decision,
  deposits: readonly UndecidedDeposit[],
): Promise<string> =>
  [
    'bursar first-seed v1',
    `database: ${await databaseIdentity(db)}`,
    `decision: ${decision}`,
    ...deposits.map((deposit) => lineOf(opened, deposit)),
    '',
  ].join('\n')

const wordsOf = (typed: string | undefined): string[] => (typed ?? '').split(' ').filter((word) => word !== '')

export const firstSeedCommands: readonly Command[] = [
  command({
    name: 'first-seed list',
    summary:
      'list deposits at addresses of a stolen first seed that wait for a decision, and the sums that have arrived',
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const { db } = opened.runtime
        const [waiting, wait, arrived, decided] = await Promise.all([
          undecidedDeposits(db, MOST),
          undecidedSums(db),
          arrivedAtSecondSeed(db),
          decidedSums(db),
        ])
        const missing = await missingOf(db, waiting)
        const rows = waiting.map(({ id, merchantId, network, asset, units, address, transaction, createdAt }) => ({
          id,
          merchantId,
          network,
          asset,
          amount: amountOf(opened, asset, units),
          missing: amountOf(opened, asset, missing.get(id)!),
          address,
          transaction,
          since: createdAt.toISOString(),
        }))
        out.list('deposits', rows, { none: 'no deposit waits for a decision' })
        const more = [...wait.values()].reduce((all, { count }) => all + count, 0) - waiting.length
        if (more > 0) out.say(`and ${more} newer deposits, which the sums include`)
        out.gap()
        const keys = [...new Set([...arrived.keys(), ...decided.keys(), ...wait.keys()])].toSorted()
        const sums = keys.map((key) => {
          const asset = key.split('/')[1]!
          return {
            asset: key,
            arrived: amountOf(opened, asset, arrived.get(key) ?? 0n),
            credited: amountOf(opened, asset, decided.get(key) ?? 0n),
            waiting: amountOf(opened, asset, wait.get(key)?.units ?? 0n),
          }
        })
        out.list('sums', sums, { none: 'nothing has arrived at the second seed' })
      }),
  }),
  command({
    name: 'first-seed text',
    summary: 'print the text of a decision about deposits at a stolen first seed, which a second person signs',
    args: ['DECISION', '[DEPOSIT_IDS...]'],
    options: {
      asset: text(
        'NETWORK/TICKER',
        'instead of ids: the oldest deposits whose money has moved from their own addresses and arrived',
      ),
    },
    more: 'DECISION is credit or refuse. first-seed list shows what is missing of each deposit: the part that has not moved from its own address to our hot addresses. See docs/operating/rotation.md.',
    run: async ({ args: { DECISION: typed, DEPOSIT_IDS: ids }, options }, env, out) => {
      const decision = decisionOf(typed)
      if ((ids === undefined) === (options.asset === undefined)) throw new UsageError('give DEPOSIT_IDS or --asset')
      if (decision === 'refuse' && options.asset !== undefined)
        throw new UsageError(
          'give the DEPOSIT_IDS of deposits to refuse: --asset selects those that arrived money covers',
        )
      await withInstallation(env, async (opened) => {
        const { db } = opened.runtime
        const deposits =
          options.asset === undefined ? await namedOf(db, wordsOf(ids)) : await coveredOf(db, options.asset)
        if (deposits.length === 0)
          throw new Error('no deposit waits, or what has arrived covers none: see bursar first-seed list')
        out.text('text', (await textOf(opened, db, decision, deposits)).trimEnd())
        process.stderr.write(
          `\nAnother person signs these lines (bursar adjust sign --key FILE), then: bursar first-seed apply PERSON SIGNATURE ${decision} ${deposits.map(({ id }) => id).join(' ')}\n`,
        )
      })
    },
  }),
  command({
    name: 'first-seed apply',
    summary: 'carry out a decision about deposits at a stolen first seed that a second person has signed',
    args: ['PERSON', 'SIGNATURE', 'DECISION', 'DEPOSIT_IDS...'],
    irreversible: 'The deposits are credited to their merchants, or their merchants get Failed.',
    run: async ({ args: { PERSON: person, SIGNATURE: signature, DECISION: typed, DEPOSIT_IDS: ids } }, env, out) => {
      const decision = decisionOf(typed)
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        const { deposits } = createChainSubscribers(worldOf(opened))
        const count = await inTransaction(runtime.db, async (tx) => {
          const named = await namedOf(tx, wordsOf(ids))
          const signed = { person, signature, text: await textOf(opened, tx, decision, named) }
          await requireSignature(tx, signed, actor())
          const moment = momentOf(runtime)
          const isCredited = decision === 'credit'
          const effects = await deposits.decide(tx, { ids: named.map(({ id }) => id), isCredited }, moment)
          if (!effects) throw new Error('one of the deposits waits no more: see bursar first-seed list')
          await carryOut(tx, effects, moment)
          return named.length
        })
        runtime.log.warn({ decision, deposits: ids, person, actor: actor() }, 'deposits at a stolen seed were decided')
        out.say(`${count} decided: ${decision}`)
      })
    },
  }),
]
