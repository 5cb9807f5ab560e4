import type { Edited } from '../commands.ts'

/** The texts of the page Settings. Every language must have these keys, or it does not compile. */
export interface SettingsWords {
  brand: string
  mails: string
  names: Readonly<Record<Edited, string>>
  hints: Readonly<Record<Edited, string>>
  wrong: string
  yes: string
  no: string
  save: string
  saved: string
  notSaved: string
  changedElsewhere: string
  proveFirst: string
  preview: string
  previewText: string
  sample: string
  limits: string
  limitsText: string
  company: string
  site: string
  addressLimit: string
  requestsPerMinute: string
  noLimit: string
  hourPercent: string
  dayPercent: string
  shortfall: string
  cardHold: string
  convertTo: string
}

export const en: SettingsWords = {
  brand: 'Payment pages',
  mails: 'Mails to you',
  names: {
    accent: 'Colour',
    supportUrl: 'Help page',
    supportEmail: 'Help e-mail',
    redirectHosts: 'Redirect hosts',
    assetOrder: 'Assets listed first',
    email: 'Address for mails',
    mailLanguage: 'Language of mails',
    activityMails: 'Mails about deposits and withdrawals',
    monthlyMails: 'Mail with the balances of each month',
  },
  hints: {
    accent: 'Such as #0b6b4f; its contrast is raised where needed. Empty: the default colour.',
    supportUrl: 'An https address where payers get help, such as https://shop.example/help.',
    supportEmail: 'An address such as help@shop.example.',
    redirectHosts: 'Hosts to which a payment page may send the payer, with commas, such as shop.example.',
    assetOrder: 'Tickers with commas, such as USDT, BTC.',
    email: 'An address such as finance@shop.example. Empty: no mails.',
    mailLanguage: '',
    activityMails: '',
    monthlyMails: '',
  },
  wrong: 'Not valid.',
  yes: 'Yes',
  no: 'No',
  save: 'Save',
  saved: 'Saved.',
  notSaved: 'Nothing was saved: some values are not valid.',
  changedElsewhere: 'Nothing was saved: the settings were changed meanwhile. Open the page again to see them.',
  proveFirst: 'Prove first that it is you. Your input is still in the form.',
  preview: 'Preview',
  previewText: 'An expired invoice as a payer sees it, before you save anything.',
  sample: 'Order 1',
  limits: 'Set by the operator',
  limitsText: 'Ask the operator to change these.',
  company: 'Name shown to payers',
  site: 'Site',
  addressLimit: 'Deposit addresses',
  requestsPerMinute: 'Requests per minute',
  noLimit: 'no limit of its own',
  hourPercent: 'Share of the hourly withdrawal limit',
  dayPercent: 'Share of the daily withdrawal limit',
  shortfall: 'Accepted shortfall of a crypto invoice',
  cardHold: 'Hours until card money can be spent',
  convertTo: 'Received money is exchanged to',
}
