import type { Network } from '@bursar/chainkit'
import {
  familyOf,
  firstIndex,
  giveBack,
  leap,
  readCounters,
  rememberForgotten,
  INDEX_LEAP,
  type AddressFamily,
} from '../../chain/addresses/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { bitcoinKey, knowChange, readLogEnd, type WalletKeys } from '../../chain/transactions/index.ts'
import { acceptDatabase, isCopy, isMarkedCopy } from '../../platform/runtime/installation.ts'
import { recordRestore } from '../../platform/runtime/restores.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { leapSequences } from '../../merchants/webhooks/index.ts'
import { actor } from './recording.ts'
import { command, flag, textOr, UsageError, type Command } from './command.ts'
import { required, withInstallation } from '../installation/open.ts'
import { WHOLE_LOG } from './replay.ts'
import { wholeNumberOf } from './typed-amount.ts'

/** The most addresses derived in one transaction, which takes about a minute. */
const MOST_AHEAD = 100_000

/** The reason of the stop that lasts until an operator accepts the books of a restored copy. */
export const RESTORED = 'restored from a copy'

/**
 * Makes a restored database safe to serve, in one transaction. It stops withdrawals. Addresses that may have been
 * handed out after the copy was made are not handed out again; they are known, so that payments to them go to suspense.
 * @param ahead how many addresses of each family to watch after the last index in the database
 * @returns the changes, a line each
 */
export const makeSafe = async (runtime: Runtime, wallet: WalletKeys, ahead: number): Promise<string[]> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await createStop(tx, { asset: null, merchantId: null, reason: RESTORED, actor: actor() }, moment)
    const counters = (await readCounters(tx)).flatMap((counter) => startsOf(wallet, counter))
    await leap(tx, wallet)
    // Where nothing shows that the database is a copy, a role may have served it, and moved this end forward.
    const known = (await isCopy(tx)) ? await readLogEnd(tx) : undefined
    await recordRestore(tx, known ?? WHOLE_LOG, new Date(runtime.clock.now()))
    const lines = ['withdrawals: all stopped until `bursar restored accept`']
    for (const { family, branch, next } of counters) {
      const start = Math.max(next, firstIndex(wallet, family)) + INDEX_LEAP
      if (branch === 0) {
        const count = await rememberForgotten(tx, wallet, family, next, ahead, moment)
        lines.push(
          `${family}: the stock is void, new addresses start at index ${start}; ${count} from index ${next} on are watched, because they may have been given out`,
        )
      } else {
        for (let index = next; index < next + ahead; index += 1) {
          const key = { account: 'hot', branch: 1, index } as const
          await knowChange(tx, { index, ...bitcoinKey(wallet, key) }, moment.at)
        }
        lines.push(`${family}: change starts at index ${start}; ${ahead} addresses of change before it are watched`)
      }
    }
    const merchants = await leapSequences(tx)
    lines.push(`notifications: sequences of ${merchants} merchant(s) were advanced`)
    await acceptDatabase(tx, { forgot: true }, new Date(runtime.clock.now()))
    return lines
  })

/**
 * The indexes from which a copy may lack addresses: that of the counter and, when the copy is older than a second seed,
 * the first index of that seed.
 */
const startsOf = <Counter extends { family: AddressFamily; next: number }>(
  wallet: WalletKeys,
  counter: Counter,
): Counter[] => {
  const first = firstIndex(wallet, counter.family)
  return counter.next < first ? [counter, { ...counter, next: first }] : [counter]
}

/** Records that the database was moved without loss. Throws an Error when `bursar restore` made it. */
export const acceptMoved = async (runtime: Runtime): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    if (await isMarkedCopy(tx))
      throw new Error(
        '`bursar restore` made this database from a backup, which may lack later changes: run `bursar restored` without --moved',
      )
    await acceptDatabase(tx, { forgot: false }, new Date(runtime.clock.now()))
  })

export const restoredCommands: readonly Command[] = [
  command({
    name: 'restored',
    summary: 'make a restored database safe to serve; run it before any role starts',
    options: {
      ahead: textOr(
        '10000',
        'ADDRESSES',
        'number of addresses of each family to watch after the last index that the copy knows',
      ),
      moved: flag('the database was moved without loss, for example by pg_upgrade: only record its new identity'),
    },
    more: 'Stops all withdrawals, voids the stock of addresses, advances derivation counters and event sequences, and watches the addresses that may have been given out since. docs/operating/recovery.md describes the whole procedure.',
    irreversible:
      'The stock of addresses is void, counters and event sequences are advanced, and all withdrawals stop until `bursar restored accept`.',
    run: async ({ options }, env, out) => {
      const ahead = wholeNumberOf(options.ahead, '--ahead', { most: MOST_AHEAD })
      await withInstallation(env, async ({ runtime, config }) => {
        if (options.moved) {
          await acceptMoved(runtime)
          out.say('from now on, this is the database of the installation')
          return
        }
        const lines = await makeSafe(runtime, required(config.xpubs, 'BURSAR_XPUBS_FILE'), ahead)
        out.say([...lines, 'continue with step 3 of docs/operating/recovery.md'].join('\n'))
      })
    },
  }),
  command({
    name: 'address watch',
    summary: 'watch addresses that may have been issued before a restore; deposits to them go to suspense',
    args: ['BLOCKCHAIN', 'FROM', 'COUNT'],
    more: 'FROM is a derivation index of deposit addresses. After `bursar restored`, new addresses start at a higher index. Bursar never gives out addresses with lower indexes again, so you can watch them.',
    run: async ({ args }, env, out) => {
      const blockchain = args.BLOCKCHAIN as Network
      const from = wholeNumberOf(args.FROM, 'FROM')
      const count = wholeNumberOf(args.COUNT, 'COUNT', { least: 1, most: MOST_AHEAD })
      await withInstallation(env, async ({ runtime, config }) => {
        const family = familyOf(blockchain)
        const wallet = required(config.xpubs, 'BURSAR_XPUBS_FILE')
        const added = await inTransaction(runtime.db, async (tx) => {
          const next =
            (await readCounters(tx)).find((counter) => counter.family === family && counter.branch === 0)?.next ?? 0
          if (from + count > next - INDEX_LEAP)
            throw new UsageError(
              `addresses from index ${Math.max(0, next - INDEX_LEAP)} on were not given out before a restore`,
            )
          return rememberForgotten(tx, wallet, family, from, count, momentOf(runtime))
        })
        out.say(`${added} address(es) more are watched`)
      })
    },
  }),
  command({
    name: 'address give-back',
    summary: 'assign an address that a restored copy lacks to its merchant again',
    args: ['MERCHANT_ID', 'BLOCKCHAIN', 'ADDRESS', '[META...]'],
    irreversible: 'From now on the address belongs to this merchant, and deposits to it are credited to the merchant.',
    run: async ({ args }, env, out) => {
      const { MERCHANT_ID: merchantId, ADDRESS: address, META: meta = null } = args
      const blockchain = args.BLOCKCHAIN as Network
      await withInstallation(env, async ({ runtime }) => {
        const id = await inTransaction(runtime.db, (tx) =>
          giveBack(tx, { merchantId, blockchain, address, meta }, momentOf(runtime)),
        )
        if (id === undefined)
          throw new Error(
            `${address} is not among the ${familyOf(blockchain)} addresses that are watched since the restore: \`bursar address watch\` watches more of them`,
          )
        out.show({ addressId: id }, [])
        out.say(`assigned as address ${id} of the merchant: later deposits to it are credited`)
      })
    },
  }),
]
