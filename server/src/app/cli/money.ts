import { createWithdrawalSubscribers } from '../composition/invoicing.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { openRestore } from '../../platform/runtime/restores.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createStop, liftStop, listAllStops, listStops } from '../../ledger/stops/index.ts'
import { giveBack } from '../../pay-out/withdrawals/index.ts'
import { actor } from './recording.ts'
import { createAttaching } from './attaching.ts'
import { companyOf } from '../../merchants/accounts/index.ts'
import { network, uuid } from './argument-kinds.ts'
import { assetOf } from './typed-amount.ts'
import { command, flag, text, UsageError, type Command } from './command.ts'
import { required, withInstallation } from '../installation/open.ts'
import { RESTORED } from './restored.ts'
import { withSigner } from './signer.ts'

export const moneyCommands: readonly Command[] = [
  command({
    name: 'withdrawal give-up',
    summary: 'end a waiting withdrawal and return its money, after the signer confirms that it signed nothing for it',
    args: ['MERCHANT_ID', 'WITHDRAWAL_ID'],
    irreversible:
      'The withdrawal ends as failed, its amount and fee go back to the balance, and the signer never signs for it.',
    run: async ({ args }, env, out) => {
      const key = { merchantId: args.MERCHANT_ID, id: args.WITHDRAWAL_ID }
      await withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const catalogue = required(config.assets, 'BURSAR_ASSETS_FILE')
        const outcome = await withSigner(opened, (signer) =>
          giveBack(
            {
              runtime,
              catalogue,
              signer,
              withdrawalSubscribers: createWithdrawalSubscribers({ catalogue, publicUrl: config.publicUrl }),
            },
            key,
          ),
        )
        if (outcome.kind === 'not-waiting') throw new Error('it is not waiting: it is planned or sent, or it has ended')
        if (outcome.kind === 'signed') {
          const hashes = outcome.transactions.map(({ hash }) => hash).join(', ')
          throw new Error(
            `the signer has signed ${hashes} for it: nothing is given back. Run "bursar withdrawal attach ${key.merchantId} ${key.id}"`,
          )
        }
        out.say('given up; amount and fee are back on the balance')
      })
    },
  }),
  command({
    name: 'withdrawal attach',
    summary:
      'attach a waiting withdrawal to the transaction that the signer signed for it and that the restored database lacks',
    args: ['MERCHANT_ID', 'WITHDRAWAL_ID'],
    irreversible: 'The transaction is sent again, or posted from the block that contains it.',
    more: 'Use it when the alert withdrawal-signed-before names the withdrawal. The transaction is compared with the signer, its own bytes and the chain before it is stored.',
    run: async ({ args }, env, out) => {
      const key = { merchantId: args.MERCHANT_ID, id: args.WITHDRAWAL_ID }
      await withInstallation(env, async (opened) => {
        const done = await withSigner(opened, (signer) => createAttaching(opened, signer)(key))
        if (done.kind === 'nothing-signed')
          return out.say('the signer has signed nothing for this withdrawal: it is processed further')
        if (done.kind === 'superseded')
          return out.say(
            `the signed transactions can never be mined, because ${done.by.join(', ')} has replaced them: the withdrawal is paid again`,
          )
        const where =
          done.minedAt === null ? 'no block contains it: it is sent again' : `block ${done.minedAt} contains it`
        out.say(`attached ${done.hashes.join(', ')}; ${where}`)
      })
    },
  }),
  command({
    name: 'freeze',
    summary: 'stop outgoing payments and exchanges: all, or those of an asset, a network, a merchant or a combination',
    args: ['REASON...'],
    options: {
      asset: text('TICKER', 'of this asset'),
      network: network('on this network'),
      merchant: uuid('of this merchant'),
      all: flag("all payments and exchanges; can't be combined with the other options"),
    },
    run: async ({ args, options: { asset = null, network: on = null, merchant = null, all } }, env, out) => {
      if (all === [asset, on, merchant].some((one) => one !== null))
        throw new UsageError('give --asset, --network or --merchant, or else --all')
      await withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        if (merchant !== null) await companyOf(runtime.db, merchant)
        // A stop works without the settings too, because an incident can't wait for them.
        const ticker = asset === null || config.assets === null ? asset : assetOf(opened, asset).ticker
        const what = { asset: ticker, network: on, merchantId: merchant, reason: args.REASON, actor: actor() }
        await inTransaction(runtime.db, (tx) => createStop(tx, what, momentOf(runtime)))
      })
      out.say(
        'stopped: no payment is planned, and no signature is requested; signed transactions are processed to their end',
      )
    },
  }),
  command({
    name: 'freezes',
    summary: 'list the stops in force, or with --ever all stops',
    options: { ever: flag('also lifted stops, each with the operator who lifted it and the reason') },
    run: async ({ options }, env, out) => {
      await withInstallation(env, async ({ runtime }) =>
        out.list(
          'stops',
          (await (options.ever ? listAllStops : listStops)(runtime.db)).map((stop) => ({ ...stop })),
          {
            ...(!options.ever && {
              columns: ['id', 'asset', 'network', 'merchantId', 'createdAt', 'createdBy', 'reason'],
            }),
            none: options.ever ? 'nothing was ever stopped' : 'nothing is stopped',
          },
        ),
      )
    },
  }),
  command({
    name: 'unfreeze',
    summary: 'lift a stop',
    args: ['FREEZE_ID', '[REASON...]'],
    run: async ({ args: { FREEZE_ID: id, REASON: reason = null } }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const by = { actor: actor(), reason }
        const stop = (await listStops(runtime.db)).find((one) => one.id === id)
        if (stop?.reason === RESTORED && (await openRestore(runtime.db)))
          throw new Error(
            'this stop lasts until the books of the restored copy are accepted: `bursar restored accept` lifts it',
          )
        if (!(await liftStop(runtime.db, id, by, momentOf(runtime).at)))
          throw new Error('no stop in force has this id: bursar freezes')
        out.say('lifted')
      }),
  }),
]
