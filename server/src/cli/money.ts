import { sql } from 'kysely'
import { inTransaction } from '../db/index.ts'

import { carryOut } from '../effects/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { freeze, liftFreeze, listFreezes } from '../treasury/index.ts'
import { approve, giveUp } from '../withdrawals/index.ts'
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
          const effects = await giveUp(tx, key, catalogue, moment)
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
    usage: 'freeze [--asset TICKER | --merchant ID | --all] REASON...',
    summary: 'stop withdrawals of an asset, of a merchant, or all',
    run: async (args, env) => {
      const [flag, subject, ...rest] = args
      const all = flag === '--all'
      if (!all && flag !== '--asset' && flag !== '--merchant') throw new UsageError('say what to stop: --asset TICKER, --merchant ID or --all')
      const reason = (all ? [subject, ...rest] : rest).filter((word) => word !== undefined).join(' ')
      const what = {
        asset: flag === '--asset' ? needed(subject, 'TICKER') : null,
        merchantId: flag === '--merchant' ? needed(subject, 'ID') : null,
        reason: needed(reason, 'REASON'),
      }
      await withInstallation(env, ({ runtime }) => freeze(runtime.db, what, momentOf(runtime)))
      print('stopped')
    },
  },
  {
    name: 'freezes',
    usage: 'freezes',
    summary: 'list what is stopped',
    run: async (_args, env) => withInstallation(env, async ({ runtime }) => print(await listFreezes(runtime.db))),
  },
  {
    name: 'unfreeze',
    usage: 'unfreeze FREEZE_ID',
    summary: 'let withdrawals go again',
    run: async ([id], env) =>
      withInstallation(env, async ({ runtime }) => {
        if (!(await liftFreeze(runtime.db, needed(id, 'FREEZE_ID'), momentOf(runtime).at))) throw new Error('nothing is stopped by this id')
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
        for (const { raisedAt, kind, text } of rows) print(`${raisedAt.toISOString()} ${kind}: ${text}`)
        if (rows.length === 0) print('nothing')
      }),
  },
]
