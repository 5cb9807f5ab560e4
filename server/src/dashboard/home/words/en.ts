export type Need = 'claims' | 'requests' | 'underpaid' | 'held' | 'stopped' | 'failing' | 'endpoints'

/** The texts of the first page about a merchant. Every language must have these keys, or it does not compile. */
export interface HomeWords {
  firstSteps: string
  steps: Record<'invoice' | 'webhook' | 'team', string>
  invoiceText: string
  withCurl: string
  withSdk: string
  done: string
  open: string
  needsYou: string
  nothingNeeds: string
  needs: Record<Need, string>
  allBalances: string
  days: string
  lastDays: (count: number) => string
  day: string
  asTable: string
  received: (total: string) => string
  receivedText: string
  receivedColumn: string
  /** of one day; `count`: deposits and card payments */
  receivedOn: (amount: string, count: number) => string
  balance: string
  balanceText: string
}

export const en: HomeWords = {
  firstSteps: 'First steps',
  steps: {
    invoice: 'Create an invoice through the API',
    webhook: 'Set the URL of your webhooks',
    team: 'Invite a colleague',
  },
  invoiceText: 'You need the private key of the merchant. The answer has the URL of the payment page.',
  withCurl: 'With curl',
  withSdk: 'With the SDK',
  done: 'done',
  open: 'open',
  needsYou: 'Needs you',
  nothingNeeds: 'Nothing waits for you.',
  needs: {
    requests: 'Payouts and refunds that wait for an approval',
    endpoints: 'Additional webhook endpoints that fail',
    claims: 'Refunds that payers request',
    underpaid: 'Underpaid invoices of the last 30 days',
    held: 'Deposits that are held until they are checked',
    stopped: 'Stopped withdrawals: ask the operator',
    failing: 'Objects with failing webhooks',
  },
  allBalances: 'All balances',
  days: 'Days',
  lastDays: (count) => `Last ${count} days`,
  day: 'Day',
  asTable: 'As a table',
  received: (total) => `Received: ${total}`,
  receivedText: 'Credited deposits and card payments of each day in UTC, without fees, at the prices of now.',
  receivedColumn: 'Received',
  receivedOn: (amount, count) => `${amount} (payments: ${count})`,
  balance: 'Balance',
  balanceText: 'The value of all balances at the end of each day in UTC, at the prices of now.',
}
