import { parseArgs } from 'node:util'
import { isNetwork } from '@bursar/chainkit'
import { sql } from 'kysely'
import { withdrawalFollowers } from '../app/invoicing.ts'
import { inTransaction } from '../db/index.ts'

import { carryOut } from '../effects/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { describeFreeze, freeze, liftFreeze, listAllFreezes, listFreezes } from '../treasury/index.ts'
import { approve, giveUp } from '../withdrawals/index.ts'
import { actor } from './actor.ts'
import { print, UsageError, type Command } from './command.ts'
import { needed, withInstallation } from './merchant.ts'
import { required } from './open.ts'

export const moneyCommands: readonly Command[] = [
  {
    name: 'withdrawal approve',
    usage: 'withdrawal approve MERCHANT_ID WITHDRAWAL_ID KEY_ID SIGNATURE',
    summary: "add a person's Ed25519 signature; the signer checks it",
    run: async ([merchant, withdrawal, key, signature], env) => {
      const approval = {
        merchantId: needed(merchant, 'MERCHANT_ID'),
        withdrawalId: needed(withdrawal, 'WITHDRAWAL_ID'),
        keyId: needed(key, 'KEY_ID'),
        signature: needed(signature, 'SIGNATURE'),
      }
      await withInstallation(env, ({ runtime }) => inTransaction(runtime.db, (tx) => approve(tx, approval, momentOf(runtime))))
      print('approved')
    },
  },
  {
    name: 'withdrawal give-up',
    usage: 'withdrawal give-up MERCHANT_ID WITHDRAWAL_ID',
    summary: 'end a withdrawal that waits and for which nothing was signed; gives the money back',
    run: async ([merchant, withdrawal], env) => {
      const key = { merchantId: needed(merchant, 'MERCHANT_ID'), id: needed(withdrawal, 'WITHDRAWAL_ID') }
      await withInstallation(env, async ({ runtime, config }) => {
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const done = await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          const effects = await giveUp(tx, key, { catalogue, followers: withdrawalFollowers({ catalogue, publicUrl: config.publicUrl }) }, moment)
          if (effects) await carryOut(tx, effects, moment)
          return effects !== undefined
        })
        if (!done) throw new Error('it is not waiting: something may have been signed for it, or it has ended')
        print('given up; amount and fee are back on the balance')
      })
    },
  },
  {
    name: 'freeze',
    usage: 'freeze [--asset TICKER] [--network NETWORK] [--merchant ID] | --all  REASON...',
    summary: 'stop withdrawals of an asset, on a network, of a merchant, of what these have in common, or all',
    run: async (args, env) => {
      const text = { type: 'string' } as const
      const options = { asset: text, network: text, merchant: text, all: { type: 'boolean', default: false } } as const
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
      const { asset = null, network = null, merchant = null, all } = values
      if (all === [asset, network, merchant].some((one) => one !== null)) throw new UsageError('say what to stop: --asset, --network or --merchant, or else --all')
      if (network !== null && !isNetwork(network)) throw new UsageError('NETWORK is BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN or TRON')
      const what = { asset, network, merchantId: merchant, reason: needed(positionals.join(' '), 'REASON'), actor: actor() }
      await withInstallation(env, ({ runtime }) => inTransaction(runtime.db, (tx) => freeze(tx, what, momentOf(runtime))))
      print('stopped: nothing more is planned, and the signer is asked for nothing new; what is signed is followed to its end')
    },
  },
  {
    name: 'freezes',
    usage: 'freezes [--ever]',
    summary: 'list what is stopped, or everything that ever was',
    run: async (args, env) => {
      const { values } = parseArgs({ args: [...args], options: { ever: { type: 'boolean', default: false } } })
      await withInstallation(env, async ({ runtime }) => print(await (values.ever ? listAllFreezes : listFreezes)(runtime.db)))
    },
  },
  {
    name: 'unfreeze',
    usage: 'unfreeze FREEZE_ID [REASON...]',
    summary: 'let withdrawals go again',
    run: async ([id, ...reason], env) =>
      withInstallation(env, async ({ runtime }) => {
        const by = { actor: actor(), reason: reason.length > 0 ? reason.join(' ') : null }
        if (!(await liftFreeze(runtime.db, needed(id, 'FREEZE_ID'), by, momentOf(runtime).at))) throw new Error('nothing is stopped by this id')
        print('lifted')
      }),
  },
  {
    name: 'alerts',
    usage: 'alerts',
    summary: 'list what needs a person',
    run: async (_args, env) =>
      withInstallation(env, async ({ runtime }) => {
        const { rows } = await sql<{ raisedAt: Date; kind: string; text: string }>`select raised_at as "raisedAt", kind, text
          from alerts where resolved_at is null order by raised_at`.execute(runtime.db)
        const stops = await listFreezes(runtime.db)
        for (const stop of stops) print(`${stop.createdAt.toISOString()} stopped: ${describeFreeze(stop)}`)
        for (const { raisedAt, kind, text } of rows) print(`${raisedAt.toISOString()} ${kind}: ${text}`)
        if (rows.length + stops.length === 0) print('nothing')
      }),
  },
]
