import type { Catalogue } from '../../market/assets/index.ts'
import { isOpen as isCryptoOpen, listInvoices, pageUrl as invoiceUrl } from '../../pay-in/crypto-invoices/index.ts'
import { isOpen as isCardOpen, listFiatInvoices, pageUrl as cardUrl } from '../../pay-in/fiat-invoices/index.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Db } from '../../platform/db/index.ts'
import { firstPage } from '../../platform/lists/page.ts'
import { ofCardInvoice, ofInvoice, type Amount } from './payment.ts'

/** What the payer of an invoice is given. */
export interface InvoiceToShare {
  id: string
  kind: 'crypto' | 'card'
  name: string
  description: string | null
  email: string | null
  /** null while the payer has not chosen it */
  amount: Amount | null
  /** in which the payer sees its page; null: that of the browser */
  language: Language | null
  /** whether its payer can still pay it in time */
  isOpen: boolean
  /** of its payment page */
  url: string
}

const ANY = { states: null, ticker: null, meta: null, email: null, linkId: null, unitsFrom: null, unitsTo: null }

/** Reads an invoice of a merchant; undefined if the merchant has none of this kind and id. @param id a UUID */
export const readInvoiceToShare = async (
  deps: { db: Db; catalogue: Catalogue; publicUrl: string },
  merchantId: string,
  kind: 'crypto' | 'card',
  id: string,
): Promise<InvoiceToShare | undefined> => {
  const { db, catalogue } = deps
  if (kind === 'card') {
    const [card] = (await listFiatInvoices(db, merchantId, { ...ANY, ids: [id] }, firstPage(1))).rows
    return (
      card && {
        id,
        kind,
        ...textsOf(card),
        isOpen: isCardOpen(card.state),
        amount: ofCardInvoice(card, catalogue).amount,
        url: cardUrl(deps, id),
      }
    )
  }
  const filter = { ...ANY, ids: [id], blockchain: null, address: null }
  const [invoice] = (await listInvoices(db, merchantId, filter, firstPage(1))).rows
  return (
    invoice && {
      id,
      kind,
      ...textsOf(invoice),
      isOpen: isCryptoOpen(invoice.state),
      amount: ofInvoice(invoice, catalogue).amount,
      url: invoiceUrl(deps, id),
    }
  )
}

type Texts = Pick<InvoiceToShare, 'name' | 'description' | 'email' | 'language'>

const textsOf = ({ name, description, email, language }: Texts): Texts => ({ name, description, email, language })
