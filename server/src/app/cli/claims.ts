import { inTransaction } from '../../platform/db/index.ts'
import {
  approveClaim,
  listClaims,
  merchantOfClaim,
  refuseClaim,
  UNDECIDED,
} from '../../pay-in/crypto-invoices/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { askWithdrawal } from '../../pay-out/withdrawals/index.ts'
import { command, flag, text, type Command } from './command.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'

const settingsOf = ({ config }: Opened) => ({
  catalogue: required(config.assets, 'BURSAR_ASSETS_FILE'),
  publicUrl: config.publicUrl,
})

/** Throws an Error for an unknown claim. */
const keyOf = async ({ runtime }: Opened, id: string): Promise<{ merchantId: string; id: string }> => {
  const merchantId = isUuid(id) ? await merchantOfClaim(runtime.db, id) : undefined
  if (merchantId === undefined) throw new Error('there is no such claim: bursar claims list shows them')
  return { merchantId, id }
}

export const claimCommands: readonly Command[] = [
  command({
    name: 'claims list',
    summary: 'list refund claims of underpaid invoices that wait for a decision, or all claims',
    more: 'A claim whose withdrawal failed waits for a decision again.',
    args: ['[MERCHANT_ID]'],
    options: { all: flag('also decided claims') },
    run: async ({ args: { MERCHANT_ID: merchantId }, options }, env, out) => {
      await withInstallation(env, async (opened) => {
        const { catalogue } = settingsOf(opened)
        const filter = {
          ...(options.all ? {} : { states: UNDECIDED }),
          ...(merchantId === undefined ? {} : { merchantId }),
        }
        const claims = await listClaims(opened.runtime.db, filter)
        const rows = claims.map(({ paid, fee, units, ...claim }) => {
          const shown = (amount: bigint): string => formatUnits(amount, catalogue.findCrypto(claim.ticker)?.scale ?? 0)
          return { ...claim, paid: shown(paid), fee: shown(fee), refund: units === null ? null : shown(units) }
        })
        out.list('claims', rows, {
          columns: [
            'id',
            'merchantId',
            'state',
            'paid',
            'fee',
            'ticker',
            'blockchain',
            'refundAddress',
            'requestedAt',
            'email',
          ],
          none: options.all ? 'there are no claims' : 'no claim waits for a decision',
        })
      })
    },
  }),
  command({
    name: 'claims approve',
    summary:
      'approve a refund claim: a withdrawal pays the credited amount less the network fee, or --amount with the fee in addition',
    args: ['CLAIM_ID', '[NOTE...]'],
    options: { amount: text('AMOUNT', 'the amount to refund; the whole amount when left out') },
    irreversible: 'A withdrawal sends the money to the address that the payer named.',
    run: async ({ args: { CLAIM_ID: claim, NOTE: note = null }, options }, env, out) => {
      await withInstallation(env, async (opened) => {
        const { runtime, config } = opened
        const settings = settingsOf(opened)
        const wallet = required(config.xpubs, 'BURSAR_XPUBS_FILE')
        const rules = { catalogue: settings.catalogue, bitcoinChain: wallet.bitcoinChain }
        const [moment, key] = [momentOf(runtime), await keyOf(opened, claim)]
        const { withdrawalId } = await inTransaction(runtime.db, (tx) => {
          const pay = (refund: Parameters<Parameters<typeof approveClaim>[2]>[0]) =>
            askWithdrawal(
              tx,
              { ...refund, ...(options.amount === undefined ? {} : { amount: options.amount }) },
              rules,
              runtime.clock.now(),
              moment,
            )
          return approveClaim(tx, key, pay, note, settings, moment)
        })
        out.show({ withdrawalId }, [])
        out.say(`withdrawal ${withdrawalId} pays the money back`)
      })
    },
  }),
  command({
    name: 'claims refuse',
    summary: 'refuse a refund claim: the merchant keeps the money, and the payer is mailed the note',
    args: ['CLAIM_ID', '[NOTE...]'],
    irreversible: 'The claim is refused, and the payer is mailed the note.',
    run: async ({ args: { CLAIM_ID: claim, NOTE: note = null } }, env, out) => {
      await withInstallation(env, async (opened) => {
        const { runtime } = opened
        const key = await keyOf(opened, claim)
        await inTransaction(runtime.db, (tx) => refuseClaim(tx, key, note, settingsOf(opened), momentOf(runtime)))
        out.say('refused')
      })
    },
  }),
]
