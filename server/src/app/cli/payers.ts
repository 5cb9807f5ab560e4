import { erasePaymentEmails } from '../../cards/acquiring/index.ts'
import { deletePayerMails } from '../../merchants/mail/index.ts'
import { eraseInvoiceEmails } from '../../pay-in/crypto-invoices/index.ts'
import { eraseFiatInvoiceEmails } from '../../pay-in/fiat-invoices/index.ts'
import { addressForms } from '../../platform/base/mail-address.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { withInstallation } from '../installation/open.ts'
import { uuid } from './argument-kinds.ts'
import { command, UsageError, type Command } from './command.ts'

export const payerCommands: readonly Command[] = [
  command({
    name: 'payer erase',
    summary: "remove a payer's e-mail address from invoices, card payments and mails",
    args: ['EMAIL'],
    options: { merchant: uuid('only at this merchant') },
    more: 'Amounts, identifiers and the ledger do not change. Stored notifications keep the address until their month is archived: docs/operating/personal-data.md.',
    irreversible: 'The address can not be restored, and the payer gets no more mails about these invoices.',
    run: async ({ args: { EMAIL: typed }, options: { merchant = null } }, env, out) => {
      const emails = addressForms(typed.trim())
      if (emails.length === 0) throw new UsageError('EMAIL is one e-mail address')
      await withInstallation(env, async ({ runtime: { db } }) => {
        const erased = await inTransaction(db, async (tx) => ({
          cryptoInvoices: await eraseInvoiceEmails(tx, emails, merchant),
          fiatInvoices: await eraseFiatInvoiceEmails(tx, emails, merchant),
          cardPayments: await erasePaymentEmails(tx, emails, merchant),
          mails: await deletePayerMails(tx, emails, merchant),
        }))
        out.show(erased, [])
        const { cryptoInvoices, fiatInvoices, cardPayments, mails } = erased
        out.say(
          `erased from ${cryptoInvoices} crypto invoices, ${fiatInvoices} fiat invoices and ${cardPayments} card payments; ${mails} mails deleted`,
        )
      })
    },
  }),
]
