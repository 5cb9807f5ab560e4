import type { Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { finalHeightOf } from '../../chain/watcher/index.ts'
import { decideRepeat, listRepeats, type HeldRepeat, type LostPayment } from '../../pay-out/withdrawals/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Db } from '../../platform/db/index.ts'
import { createWithdrawalSubscribers } from '../composition/invoicing.ts'
import { withInstallation, type Environment } from '../installation/open.ts'
import { worldOf } from '../installation/world.ts'
import { actor } from './recording.ts'
import { createAttaching } from './attaching.ts'
import { command, UsageError, type Command } from './command.ts'
import type { Output } from './output.ts'
import { withSigner } from './signer.ts'

/** One lost payment with all transactions that the signer has signed for it: at most one of them is ever mined. */
export interface LostGroup {
  intentId: string
  lines: LostPayment[]
  /** hash → where the transaction is, by the node; empty when no node was asked */
  places: ReadonlyMap<string, string>
}

/** Groups signed lines by payment, in the order of the signer's log. */
export const groupLost = (lost: readonly LostPayment[]): LostGroup[] =>
  [...Map.groupBy(lost, ({ intentId }) => intentId)].map(([intentId, lines]) => ({
    intentId,
    lines,
    places: new Map(),
  }))

/** Adds where each transaction is. Only one in a final block may be posted. */
export const placesOf = async (
  db: Db,
  groups: readonly LostGroup[],
  adapters: ReadonlyMap<Network, Pick<ChainAdapter, 'statusOf'>>,
): Promise<LostGroup[]> =>
  Promise.all(
    groups.map(async (group) => {
      const places = new Map<string, string>()
      for (const { hash, network } of group.lines) {
        const final = (await finalHeightOf(db, network)) ?? -1
        places.set(hash, await placeOf(adapters.get(network), hash, final))
      }
      return { ...group, places }
    }),
  )

const placeOf = async (
  adapter: Pick<ChainAdapter, 'statusOf'> | undefined,
  hash: string,
  final: number,
): Promise<string> => {
  if (!adapter) return 'no node is configured'
  try {
    const status = await adapter.statusOf(hash)
    if (status.kind !== 'mined') return 'in no block'
    const effect = status.succeeded ? '' : ', without effect'
    return `in ${status.height <= final ? 'final ' : ''}block ${status.height}${effect}`
  } catch (error) {
    return `no answer of the node: ${(error as Error).message}`
  }
}

/** Shows each lost payment once, with its transactions. */
export const showLost = (groups: readonly LostGroup[], out: Output): void => {
  for (const { intentId, lines, places } of groups) {
    const [first] = lines
    const { network, ticker, chainUnits, to } = first!
    const transactions = lines.map(({ hash, signedAt, logLine, conflictKeys }) => ({
      hash,
      signedAt: signedAt.toISOString(),
      logLine,
      uses: conflictKeys,
      place: places.get(hash) ?? null,
    }))
    out.add(
      'lost',
      { intentId, network, ticker, chainUnits: chainUnits.toString(), to, transactions },
      [
        `lost  ${network}: ${chainUnits} units of ${ticker} to ${to}, intent ${intentId}`,
        ...transactions.map(
          ({ hash, signedAt, logLine, place }) =>
            `        ${hash}, signed ${signedAt} (line ${logLine})${place === null ? '' : `, ${place}`}`,
        ),
      ].join('\n'),
    )
  }
}

/** Shows the withdrawals that wait for a decision. */
export const showHeld = (held: readonly HeldRepeat[], out: Output): void => {
  for (const { withdrawalId, merchantId, intentId, network, ticker, to, chainUnits, ...one } of held)
    out.add(
      'held',
      {
        withdrawalId,
        merchantId,
        intentId,
        network,
        ticker,
        to,
        chainUnits: chainUnits.toString(),
        localId: one.localId,
        requestedAt: one.requestedAt.toISOString(),
        signedAt: one.signedAt.toISOString(),
      },
      `held  withdrawal ${withdrawalId} of merchant ${merchantId}, requested ${one.requestedAt.toISOString()}: ${chainUnits} units of ${ticker} to ${to} on ${network}, as intent ${intentId}, which was signed ${one.signedAt.toISOString()}`,
    )
}

/** @throws UsageError unless every word is an id */
const readIds = (words: string): string[] => {
  const ids = words.split(/\s+/).map((word) => word.toLowerCase())
  if (!ids.every(isUuid)) throw new UsageError('ID is a UUID: "bursar restored held" shows them')
  return ids
}

const decideAll = async (
  { ID: words }: { ID: string },
  decision: 'same' | 'new',
  env: Environment,
  out: Output,
): Promise<void> => {
  const ids = readIds(words)
  await withInstallation(env, async (opened) =>
    withSigner(opened, async (signer) => {
      const world = worldOf(opened)
      const deps = {
        ...world,
        signer,
        attach: createAttaching(opened, signer),
        withdrawalSubscribers: createWithdrawalSubscribers(world),
      }
      for (const id of ids) {
        const done = await decideRepeat(deps, id, decision, actor())
        out.add('decided', { withdrawalId: id, outcome: done }, `withdrawal ${id}: ${OUTCOMES[done]}`)
      }
    }),
  )
}

const OUTCOMES: Readonly<Record<Awaited<ReturnType<typeof decideRepeat>>, string>> = {
  attached: 'it is the lost payment, and nothing more is paid',
  superseded: 'the lost payment can never be mined: it is paid again',
  waits: 'it is another payment, and is paid',
  'given-back': 'it was requested twice: its money is returned',
}

/** Commands about withdrawals that equal a lost payment of a restored copy. */
export const lostPaymentCommands: readonly Command[] = [
  command({
    name: 'restored held',
    summary: 'list the withdrawals that wait because they equal a payment that a restored copy lacks',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const held = await listRepeats(runtime.db)
        if (held.length === 0) out.say('no withdrawal waits for a decision')
        showHeld(held, out)
      }),
  }),
  command({
    name: 'restored same',
    summary: 'decide that held withdrawals are the lost payments that they equal: nothing is paid again',
    args: ['ID...'],
    more: 'ID is a withdrawal that `bursar restored held` lists. The lost payment is posted to it.',
    irreversible: 'The withdrawals are not paid: the payments that were signed before the restore count for them.',
    run: ({ args }, env, out) => decideAll(args, 'same', env, out),
  }),
  command({
    name: 'restored new',
    summary: 'decide that held withdrawals are other payments than the lost ones: they are paid',
    args: ['ID...'],
    more: 'ID is a withdrawal that `bursar restored held` lists.',
    irreversible: 'The withdrawals are paid, also if the lost payments reached the same addresses.',
    run: ({ args }, env, out) => decideAll(args, 'new', env, out),
  }),
]
