import { parseArgs } from 'node:util'
import { inTransaction } from '../db/index.ts'
import { approveClaim, listClaims, refuseClaim, UNDECIDED } from '../invoices/index.ts'
import { formatUnits } from '../money/index.ts'
import { isUuid } from '../base/id.ts'
import { momentOf } from '../platform/runtime.ts'
import { askWithdrawal } from '../withdrawals/index.ts'
import { print, UsageError, type Command } from './command.ts'
import { needed, withInstallation } from './merchant.ts'
import { required, type Opened } from './open.ts'

const claimId = (text: string | undefined): string => {
  const id = needed(text, 'CLAIM_ID').toLowerCase()
  if (!isUuid(id)) throw new UsageError('CLAIM_ID is a UUID: bursar claims list shows them')
  return id
}

const settingsOf = ({ config }: Opened) => ({ catalogue: required(config.assets, 'BURSAR_ASSETS_FILE'), publicUrl: config.publicUrl })

export const claimCommands: readonly Command[] = [
  {
    name: 'claims list',
    usage: 'claims list [--all] [MERCHANT_ID]',
    summary: 'list what payers of underpaid invoices ask to have back and waits for a decision, or all of it; a refund whose withdrawal failed waits again',
    run: async (args, env) => {
      const { values, positionals } = parseArgs({ args: [...args], options: { all: { type: 'boolean', default: false } }, allowPositionals: true })
      const [merchantId] = positionals
      if (merchantId !== undefined && !isUuid(merchantId)) throw new UsageError('MERCHANT_ID is a UUID')
      await withInstallation(env, async (opened) => {
        const { catalogue } = settingsOf(opened)
        const filter = { ...(values.all ? {} : { states: UNDECIDED }), ...(merchantId === undefined ? {} : { merchantId }) }
        const claims = await listClaims(opened.runtime.db, filter)
        print(claims.map(({ ticker, paid, fee, units, ...claim }) => {
          const shown = (amount: bigint): string => `${formatUnits(amount, catalogue.findCrypto(ticker)?.scale ?? 0)} ${ticker}`
          return { ...claim, paid: shown(paid), fee: shown(fee), refund: units === null ? null : shown(units) }
        }))
      })
    },
  },
  {
    name: 'claims approve',
    usage: 'claims approve [--amount AMOUNT] CLAIM_ID [NOTE...]',
    summary: 'give the money back by an ordinary withdrawal: what the invoice brought less the fee, or so much',
    run: async (args, env) => {
      const { values, positionals } = parseArgs({ args: [...args], options: { amount: { type: 'string' } }, allowPositionals: true })
      const [id, ...note] = positionals
      const claim = claimId(id)
      await withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const settings = settingsOf(opened)
        const wallet = required(config.xpubs, 'BURSAR_XPUBS_FILE')
        const rules = { catalogue: settings.catalogue, bitcoinChain: wallet.bitcoinChain }
        const moment = momentOf(runtime)
        const { withdrawalId } = await inTransaction(runtime.db, (tx) => {
          const pay = (refund: Parameters<Parameters<typeof approveClaim>[2]>[0]) =>
            askWithdrawal(tx, { ...refund, ...(values.amount === undefined ? {} : { amount: values.amount }) }, rules, runtime.clock.now(), moment)
          return approveClaim(tx, claim, pay, note.join(' ') || null, settings, moment)
        })
        print(`withdrawal ${withdrawalId} brings the money back`)
      })
    },
  },
  {
    name: 'claims refuse',
    usage: 'claims refuse CLAIM_ID [NOTE...]',
    summary: 'keep what arrived; the payer is told the note',
    run: async ([id, ...note], env) => {
      const claim = claimId(id)
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        await inTransaction(runtime.db, (tx) => refuseClaim(tx, claim, note.join(' ') || null, settingsOf(opened), momentOf(runtime)))
        print('refused')
      })
    },
  },
]
