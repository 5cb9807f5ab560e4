import type { Texts } from './texts.ts'

export const en: Texts = {
  receipt: {
    subject: (company, amount) => `Receipt: ${amount} paid to ${company}`,
    title: 'Payment received',
    body: (company) => `${company} has received your payment. The receipt is attached as a PDF.`,
    open: 'Open the invoice',
  },
  underpaid: {
    subject: (company) => `Your payment to ${company} is not complete`,
    title: 'Your payment is short',
    body: (paid, amount) => `By the time the invoice expired, ${paid} of ${amount} had arrived. Your money is safe.`,
    choice: (missing) => `You can pay the missing ${missing}, or ask for a refund of the amount that you paid.`,
    button: 'Pay the rest or ask for a refund',
    secret: 'Anyone who has this link can request the money. Do not forward this mail.',
  },
  claim: {
    subject: {
      approved: (company) => `${company} agreed to your refund`,
      declined: (company) => `${company} declined your refund`,
      sent: (company) => `${company} has sent your refund`,
    },
    title: { approved: 'Refund agreed', declined: 'Refund declined', sent: 'Refund sent' },
    body: {
      approved: (company, refund) =>
        `${company} agreed to send ${refund} back to you. We will mail you again when it is sent.`,
      declined: (company) =>
        `${company} declined to send the money back. Please ask the company if you have questions.`,
      sent: (company, refund) => `${company} has sent ${refund} back to the address you gave.`,
    },
  },
  cardRefund: (company, refund) =>
    `${company} has sent ${refund} back to the card you paid with. The bank of the card may take some days to show it.`,
  request: {
    subject: (company) => `${company} asks you for a payment`,
    title: 'Payment request',
    body: (company) => `${company} sends you a page on which you can pay.`,
    button: 'Open the payment page',
    careful: 'If you do not know what this payment is for, do not pay, and ignore this mail.',
    footer: (company) => `You get this mail because ${company} gave this address as that of a payer.`,
  },
  exhausted: {
    subject: (merchant) => `${merchant}: notifications are not being accepted`,
    title: 'Notifications are not being accepted',
    body: (merchant, since) =>
      `The receiver of ${merchant} has not accepted a notification. The last try was at ${since}.`,
    waits:
      'Later notifications of the same object wait for it, so that they arrive in order; those of other objects are sent. Nothing is lost.',
    next: 'Once your receiver answers with 2xx again, everything that waits is sent in order. Until then we try once a day for 7 days.',
  },
  activity: {
    subject: (merchant, counts) => `${merchant}: ${counts}`,
    title: 'Money in and out',
    period: (from, until) => `From ${from} to ${until}.`,
    counted: {
      deposit: (count) => `deposits: ${count}`,
      withdrawal: (count) => `withdrawals: ${count}`,
      'card-payout': (count) => `card payouts: ${count}`,
      invoice: (count) => `paid invoices: ${count}`,
    },
    one: { deposit: 'Deposit', withdrawal: 'Withdrawal', 'card-payout': 'Card payout', invoice: 'Invoice' },
    failed: 'failed',
    more: (count) => `And ${count} more: the list of events has them all.`,
  },
  month: {
    subject: (merchant, month) => `${merchant}: balances of ${month}`,
    title: (month) => `Balances of ${month}`,
    opening: (amount) => `at the beginning: ${amount}`,
    none: 'All balances were 0 at the beginning and at the end of the month.',
    button: 'Open the statements',
  },
  invitation: {
    subject: {
      join: (merchant) => `You are invited to the dashboard of ${merchant}`,
      reset: (merchant) => `Sign in again to the dashboard of ${merchant}`,
    },
    title: { join: 'You are invited', reset: 'Set up a new way to sign in' },
    body: {
      join: (merchant) => `${merchant} invites you to its payments dashboard.`,
      reset: (merchant) =>
        `Your passkeys, your password and your open sessions were removed at the request of ${merchant}. Set up a new way to sign in.`,
    },
    button: 'Open the invitation',
    valid: (until) => `The link is valid until ${until}, and works once.`,
    unwanted: 'The link gives access to the dashboard. Do not forward this mail. If you do not expect it, ignore it.',
  },
  dashboard: {
    subject: (what) => `Security of your sign-in: ${what}`,
    title: {
      'new-browser': 'You signed in with a new browser',
      'recovery-used': 'A recovery code was used to sign in',
      'recovery-renewed': 'Your recovery codes were replaced',
      'passkey-added': 'A passkey was added',
      'passkey-removed': 'A passkey was removed',
      'password-set': 'A password was set',
      'access-reset': 'A new way to sign in was set up',
    },
    unknown:
      'If this was not you, end your other sessions on the page Security, and ask the operator to reset your access.',
  },
  changed: {
    subject: (merchant, what) => `${merchant}: ${what}`,
    title: {
      'webhook-url': 'The URL of webhooks was changed',
      'webhook-endpoint': 'A webhook endpoint was added',
      'webhook-endpoint-off': 'A webhook endpoint was switched off',
      'webhook-endpoint-removed': 'A webhook endpoint was removed',
      'webhook-secret': 'The secret of a webhook endpoint was replaced',
      archive: 'The archive of the merchant was downloaded',
      'key-added': 'An API key was made',
      'member-joined': 'A person joined the team',
      'role-changed': 'The role of a member was changed',
    },
    unknown: {
      'webhook-url':
        'If your team did not intend this, change it back on the page Webhooks, and look at the audit log and the team.',
      'webhook-endpoint':
        'If your team did not intend this, remove the endpoint on the page Webhooks, and look at the audit log and the team.',
      'webhook-endpoint-off':
        'If your team did not intend this, switch the endpoint on again on the page Webhooks: its notifications wait. Look at the audit log and the team.',
      'webhook-endpoint-removed':
        'If your team did not intend this, add the endpoint again on the page Webhooks: it gets a new secret. Look at the audit log and the team.',
      'webhook-secret':
        'If your team did not intend this, replace the secret again on the page Webhooks, and look at the audit log and the team. Within a day the receiver needs the new secret.',
      archive:
        'If your team did not intend this, remove this member on the page Team, and look at the audit log. The archive has names and e-mail addresses of payers.',
      'key-added':
        'If your team did not intend this, revoke the key on the page Keys, and look at the audit log and the team.',
      'member-joined':
        'Make sure that this address belongs to another person: one who has two addresses could request and approve a payout alone. If the person is not to be a member, remove them on the page Team.',
      'role-changed':
        'If this member is not to have this role, change it back on the page Team, and look at the audit log.',
    },
  },
  names: {
    amount: 'Amount',
    received: 'Received',
    missing: 'Missing',
    fee: 'Fee',
    card: 'Card',
    order: 'Order',
    description: 'For',
    network: 'Network',
    paidAt: 'Paid',
    invoice: 'Invoice',
    refundTo: 'Refund to',
    transaction: 'Transaction',
    note: 'Message',
    receiver: 'Receiver',
    object: 'Object',
    error: 'Answer',
    time: 'Time',
    detail: 'Details',
    member: 'Member',
  },
  payerFooter: (company) => `You get this mail because you paid an invoice of ${company} and gave this address.`,
  merchantFooter: 'You get this mail because this address is set for your merchant account.',
  personFooter: 'You get this mail because your address has access to a dashboard, or was invited to one.',
}
