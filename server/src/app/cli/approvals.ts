import { approvalMessage } from '../../adapters/signer/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { approve, findById, findWaitingByIntents } from '../../pay-out/withdrawals/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { intentOf } from '../composition/signing.ts'
import { required, withInstallation } from '../installation/open.ts'
import { command, UsageError, type Command } from './command.ts'
import { withSigner } from './signer.ts'

const HOUR_MS = 3_600_000
const APPROVAL_MS = 24 * HOUR_MS

/** Commands about withdrawals above the amount from which the signer's policy requires approvals. */
export const approvalCommands: readonly Command[] = [
  command({
    name: 'withdrawal waiting',
    summary: 'list the withdrawals that the signer refuses only because approvals are missing, the oldest first',
    more: "People approve on the signer's own page or by bursar-signer approve: docs/operating/approvals.md.",
    run: async (_given, env, out) =>
      withInstallation(env, async (opened) => {
        const catalogue = required(opened.config.assets, 'BURSAR_ASSETS_FILE')
        const listed = await withSigner(opened, (signer) => signer.waiting())
        const withdrawals = await findWaitingByIntents(
          opened.runtime.db,
          listed.map(({ intent }) => intent.id),
        )
        const rows = listed.flatMap(({ intent, approvedBy, needed }) =>
          withdrawals
            .filter(({ intentId }) => intentId === intent.id)
            .map(({ id, merchantId, ticker, blockchain, units, to, createdAt }) => ({
              merchantId,
              id,
              amount: amountOf(catalogue, ticker, units),
              network: blockchain,
              to,
              approvals: `${approvedBy.length} of ${needed}`,
              approvedBy: approvedBy.join(', '),
              createdAt,
              hours: Math.floor((opened.runtime.clock.business() - createdAt.getTime()) / HOUR_MS),
            })),
        )
        out.list('withdrawals', rows, { none: 'no withdrawal waits for approvals' })
      }),
  }),
  command({
    name: 'withdrawal approve',
    summary: "add an approver's Ed25519 signature to a withdrawal; the signer checks it",
    args: ['MERCHANT_ID', 'WITHDRAWAL_ID', 'APPROVER', 'EXPIRES', 'SIGNATURE'],
    more: "APPROVER is the approver's id in the signer's policy, EXPIRES the time in the signed text. bursar-signer approve prints all three.",
    irreversible: 'The withdrawal is paid as soon as the signer counts enough approvals.',
    run: async ({ args }, env, out) => {
      if (!/^[0-9a-f]{128}$/i.test(args.SIGNATURE))
        throw new UsageError('SIGNATURE is an Ed25519 signature: 128 hexadecimal digits')
      const approval = {
        merchantId: args.MERCHANT_ID,
        withdrawalId: args.WITHDRAWAL_ID,
        keyId: args.APPROVER,
        expiresAt: readExpiry(args.EXPIRES),
        signature: args.SIGNATURE,
      }
      await withInstallation(env, ({ runtime }) =>
        inTransaction(runtime.db, (tx) => approve(tx, approval, momentOf(runtime))),
      )
      out.say('approved')
    },
  }),
  command({
    name: 'withdrawal approval-text',
    summary: 'print the text that an approver signs for a withdrawal; the approval ends after a day',
    args: ['MERCHANT_ID', 'WITHDRAWAL_ID'],
    more: 'bursar-signer approve --text FILE shows and signs it. The signature is Ed25519 over exactly these bytes, line breaks included, in hex: give it to "withdrawal approve".',
    run: async ({ args }, env, out) => {
      await withInstallation(env, async ({ runtime, config }) => {
        const withdrawal = await findById(runtime.db, args.MERCHANT_ID, args.WITHDRAWAL_ID)
        if (!withdrawal) throw new Error('there is no such withdrawal: check both ids')
        const intent = intentOf(required(config.assets, 'BURSAR_ASSETS_FILE'), withdrawal)
        out.text('text', approvalMessage(withdrawal.blockchain, intent, runtime.clock.now() + APPROVAL_MS))
      })
    },
  }),
]

/** Writes an amount. One asset that the assets file lacks must not hide the other withdrawals. */
const amountOf = (catalogue: Catalogue, ticker: string, units: bigint): string => {
  const asset = catalogue.findCrypto(ticker)
  return asset ? `${formatUnits(units, asset.scale)} ${ticker}` : `${units} units of ${ticker} (not in the assets file)`
}

/** Reads a time exactly as the signed text has it. @throws UsageError */
const readExpiry = (text: string): Date => {
  const time = new Date(text)
  if (Number.isNaN(time.getTime()) || time.toISOString() !== text)
    throw new UsageError('EXPIRES is the time in the signed text, such as 2026-12-31T12:00:00.000Z')
  return time
}
