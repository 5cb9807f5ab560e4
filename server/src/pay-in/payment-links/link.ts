import type { Language } from '../../platform/base/language.ts'

/** How an invoice is paid. */
export type LinkKind = 'crypto' | 'card'

/** The fields of a link that a member may change. They hold for the invoices that are made afterwards. */
export interface LinkFields {
  name: string
  description: string | null
  /** a decimal in units of the ticker; null: the payer chooses it */
  amount: string | null
  /** the limits of an amount that the payer chooses; null: those of the asset */
  least: string | null
  most: string | null
  language: Language | null
  /** business clock; null: never */
  expiresAt: Date | null
  /** invoices that are paid or can still be paid; null: any number */
  mostUses: number | null
}

export interface NewLink extends LinkFields {
  kind: LinkKind
  /** an asset, or the currency of a price: of a crypto invoice, or of a card payment */
  ticker: string
}

/** A reusable link, from which each payer makes an invoice of their own. */
export interface PaymentLink extends NewLink {
  merchantId: string
  id: string
  /** in the URL of its page; it can't be guessed */
  token: string
  stoppedAt: Date | null
  createdAt: Date
  /** the merchant's own identifier, of a link that the API made; one link has it */
  localId: string | null
}

/** Why a link makes no invoices; `unavailable`: its amount can't be asked for here any more. */
export type LinkEnd = 'stopped' | 'expired' | 'used' | 'unavailable'

/** The end of a link, as its row shows it. */
export const endOf = ({ stoppedAt, expiresAt }: PaymentLink, at: Date): 'stopped' | 'expired' | undefined => {
  if (stoppedAt !== null) return 'stopped'
  return expiresAt !== null && expiresAt <= at ? 'expired' : undefined
}

/** The status of a link in the API. A link that is both is disabled. */
export type LinkStatus = 'active' | 'expired' | 'disabled'

/** @param at business clock */
export const statusOf = (link: PaymentLink, at: Date): LinkStatus => {
  const end = endOf(link, at)
  return end === 'stopped' ? 'disabled' : (end ?? 'active')
}

/** The URL of the page for payers. */
export const linkUrl = (publicUrl: string, { token }: Pick<PaymentLink, 'token'>): string => `${publicUrl}/pay/${token}`
