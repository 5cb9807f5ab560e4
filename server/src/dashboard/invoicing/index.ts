/**
 * Invoices that members make by hand, and payment links. Guarantees:
 * - a form shows all its problems at once, and what was typed stays;
 * - a form that is sent twice makes one invoice, or one link;
 * - the payments and totals of a link need a bounded number of rows.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import { INVOICE, LINK, LINK_MAIL, LINKS, NEW_INVOICE, NEW_LINK, type InvoicingDeps } from './deps.ts'
import { newInvoicePage, printInvoicePage, sharePage, submitInvoice, submitInvoiceMail } from './invoice-pages.ts'
import { linkPage, printLinkPage, submitLinkChange, submitLinkMail } from './link-page.ts'
import { linksPage, newLinkPage, submitLink } from './links-page.ts'

export const invoicingPages = (deps: InvoicingDeps): PageRoute[] => [
  memberPage(deps, NEW_INVOICE, 'create-invoices', newInvoicePage(deps)),
  memberForm(deps, NEW_INVOICE, 'create-invoices', submitInvoice(deps)),
  memberPage(deps, INVOICE, 'see-payments', sharePage(deps)),
  memberForm(deps, INVOICE, 'mail-payers', submitInvoiceMail(deps)),
  memberPage(deps, `${INVOICE}/print`, 'see-payments', printInvoicePage(deps)),
  memberPage(deps, LINKS, 'see-payments', linksPage(deps)),
  memberPage(deps, NEW_LINK, 'create-invoices', newLinkPage(deps)),
  memberForm(deps, NEW_LINK, 'create-invoices', submitLink(deps)),
  memberPage(deps, LINK, 'see-payments', linkPage(deps)),
  memberForm(deps, LINK, 'create-invoices', submitLinkChange(deps)),
  memberPage(deps, LINK_MAIL, 'see-payments', linkPage(deps)),
  memberForm(deps, LINK_MAIL, 'mail-payers', submitLinkMail(deps)),
  memberPage(deps, `${LINK}/print`, 'see-payments', printLinkPage(deps)),
]
