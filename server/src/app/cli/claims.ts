import { inTransaction } from '../../platform/db/index.ts'
import { approveClaim, listClaims, refuseClaim, UNDECIDED } from '../../pay-in/crypto-invoices/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { askWithdrawal } from '../../pay-out/withdrawals/index.ts'
import { command, flag, print, text, UsageError, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'

const claimId = (given: string): string => {
  const id = given.toLowerCase()
  if (!isUuid(id)) throw new UsageError('CLAIM_ID is a UUID: bursar claims list shows them')
  return id
}

const settingsOf = ({ config }: Opened) => ({
  catalogue: required(config.assets, 'BURSAR_ASSETS_FILE'),
  publicUrl: config.publicUrl,
})

export const claimCommands: readonly Command[] = [
  command({
    name: 'claims list',
    summary:
      'list pending refund claims of underpaid invoices, or all claims; a claim whose withdrawal failed is pending again',
    args: ['[MERCHANT_ID]'],
    options: { all: flag('those that were decided, too') },
    run: async ({ args: { MERCHANT_ID: merchantId }, options }, env) => {
      if (merchantId !== undefined && !isUuid(merchantId)) throw new UsageError('MERCHANT_ID is a UUID')
      await withInstallation(env, async (opened) => {
        const { catalogue } = settingsOf(opened)
        const filter = {
          ...(options.all ? {} : { states: UNDECIDED }),
          ...(merchantId === undefined ? {} : { merchantId }),
        }
        const claims = await listClaims(opened.runtime.db, filter)
        print(
          claims.map(({ ticker, paid, fee, units, ...claim }) => {
            const shown = (amount: bigint): string =>
              `${formatUnits(amount, catalogue.findCrypto(ticker)?.scale ?? 0)} ${ticker}`
            return { ...claim, paid: shown(paid), fee: shown(fee), refund: units === null ? null : shown(units) }
          }),
        )
      })
    },
  }),
  command({
    name: 'claims approve',
    summary: 'approve a claim: refund what was paid less the fee, or --amount, by a withdrawal',
    args: ['CLAIM_ID', '[NOTE...]'],
    options: { amount: text('AMOUNT', 'give back so much, not all of it') },
    irreversible: 'A withdrawal sends the money to the address that the payer named.',
    run: async ({ args: { CLAIM_ID: id, NOTE: note = null }, options }, env) => {
      const claim = claimId(id)
      await withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const settings = settingsOf(opened)
        const wallet = required(config.xpubs, 'BURSAR_XPUBS_FILE')
        const rules = { catalogue: settings.catalogue, bitcoinChain: wallet.bitcoinChain }
        const moment = momentOf(runtime)
        const { withdrawalId } = await inTransaction(runtime.db, (tx) => {
          const pay = (refund: Parameters<Parameters<typeof approveClaim>[2]>[0]) =>
            askWithdrawal(
              tx,
              { ...refund, ...(options.amount === undefined ? {} : { amount: options.amount }) },
              rules,
              runtime.clock.now(),
              moment,
            )
          return approveClaim(tx, claim, pay, note, settings, moment)
        })
        print(`withdrawal ${withdrawalId} brings the money back`)
      })
    },
  }),
  command({
    name: 'claims refuse',
    summary: 'refuse a claim and keep the money; the payer is mailed the note',
    args: ['CLAIM_ID', '[NOTE...]'],
    irreversible: 'The claim is refused, and the payer is mailed the note.',
    run: async ({ args: { CLAIM_ID: id, NOTE: note = null } }, env) => {
      const claim = claimId(id)
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        await inTransaction(runtime.db, (tx) => refuseClaim(tx, claim, note, settingsOf(opened), momentOf(runtime)))
        print('refused')
      })
    },
  }),
]
