import type { FileTrouble, PayoutTrouble } from '../../../pay-out/requests/index.ts'

/** The status of a request of payouts as a reader sees it. */
export type RequestStatus = 'waiting' | 'expired' | 'placing' | 'placed' | 'refused' | 'withdrawn' | 'failed'

/** The texts of the pages about payouts. Every language must have these keys, or it does not compile. */
export interface PayoutWords {
  payout: string
  newPayout: string
  newText: string
  requests: string
  open: string
  noRequests: string
  noRequestsText: string
  back: string
  file: (name: string, lines: number) => string
  asset: string
  to: string
  toHint: string
  amount: string
  amountHint: string
  meta: string
  metaHint: string
  check: string
  checkTitle: string
  checkText: string
  fee: string
  feeText: string
  total: string
  free: string
  ask: string
  edit: string
  approvalsNeeded: (count: number) => string
  needed: string
  payAloneText: string
  /** problems of fields that are empty */
  missing: { to: string; amount: string }
  problems: { asset: string; to: string; amount: string; meta: string; other: string }
  maker: string
  asked: string
  until: string
  decided: string
  reason: string
  approvedBy: string
  noApproval: string
  lines: string
  risks: string
  isNew: string
  newAddresses: (n: number) => string
  feeLimit: string
  feeRose: string
  isAboveUsual: string
  noRisks: string
  approve: string
  approveTitle: string
  approveText: string
  refuse: string
  refuseText: string
  withdraw: string
  withdrawText: string
  payAlone: string
  waitsForOthers: string
  proveFirst: string
  statuses: Record<RequestStatus, string>
  lineStates: Record<'waiting' | 'placed' | 'failed', string>
  troubles: Record<PayoutTrouble, string>
  saidPlaced: string
  saidPlacing: string
  saidCounted: (missing: number) => string
  saidRefusedNow: string
  saidRefusedForGood: string
  saidDone: string
  book: string
  bookText: string
  noAddresses: string
  name: string
  network: string
  address: string
  add: string
  addTitle: string
  addText: (hours: number) => string
  usableFrom: (time: string) => string
  usable: string
  pay: string
  payTo: (name: string) => string
  remove: string
  removeOf: (name: string) => string
  policy: string
  policyText: string
  next: (time: string) => string
  alone: string
  aloneHint: string
  approvals: string
  mostHour: string
  mostDay: string
  emptyHint: string
  api: string
  apiHint: string
  apiFree: string
  apiLimited: string
  apiMost: string
  onlyBook: string
  anyAddress: string
  addresses: string
  hours: string
  hoursHint: string
  fromHour: string
  toHour: string
  cooling: string
  save: string
  saveText: string
  noLimit: string
  upload: string
  uploadTitle: string
  uploadText: string
  columns: string
  example: string
  fileField: string
  uploadCheck: string
  assetName: string
  row: string
  problemsTitle: string
  rowsWrong: (n: number) => string
  duplicates: (n: number) => string
  duplicate: (n: number) => string
  fileTroubles: Record<FileTrouble, string>
  readOnly: string
}

export const en: PayoutWords = {
  payout: 'Payout',
  newPayout: 'New payout',
  newText: 'You see the fee before anything happens. Another member then approves the payout.',
  requests: 'Requests',
  open: 'Open',
  noRequests: 'No payouts were requested yet',
  noRequestsText: 'A member asks for a payout, and another one approves it. Each request is listed here.',
  back: 'All requests',
  file: (name, lines) => `${name} (payouts: ${lines})`,
  asset: 'Asset and network',
  to: 'Address',
  toHint: 'Check the beginning and the end with the receiver. A payout can not be taken back.',
  amount: 'Amount',
  amountHint: 'The receiver gets this amount. The fee is added to it.',
  meta: 'Reference',
  metaHint: 'For your records, such as an invoice number. It is in the notifications of the withdrawal.',
  check: 'Check the payout',
  checkTitle: 'Check the payout',
  checkText: 'Nothing was stored yet.',
  fee: 'Fee now',
  feeText: 'The fee changes with the network. The payout is not made at more than twice this fee.',
  total: 'Total now',
  free: 'none',
  ask: 'Request the payout',
  edit: 'Change',
  needed: 'Approvals needed',
  approvalsNeeded: (count) => `Approvals needed: ${count}`,
  payAloneText: 'The policy allows you to pay this amount without an approval.',
  missing: { to: 'Type an address.', amount: 'Type an amount.' },
  problems: {
    asset: 'Choose an asset and a network.',
    to: 'This address can not be paid.',
    amount: 'This amount can not be paid.',
    meta: 'The reference is too long.',
    other: 'This payout is not possible now.',
  },
  maker: 'Requested by',
  asked: 'Requested',
  until: 'Waits until',
  decided: 'Decided',
  reason: 'Reason',
  approvedBy: 'Approvals',
  noApproval: 'none yet',
  lines: 'Payouts',
  risks: 'Look closely',
  isNew: 'The address is not in the address book.',
  newAddresses: (n) => `Payouts to addresses that are not in the address book: ${n}.`,
  feeLimit: 'Fee at most',
  feeRose: 'The fee has risen since the page showed it. Check the payout again.',
  isAboveUsual: 'The amount is above every payout of this asset in the last 90 days.',
  noRisks: 'nothing unusual',
  approve: 'Approve and pay',
  approveTitle: 'Your decision',
  approveText: 'Compare the address and the amount with a source of your own.',
  refuse: 'Refuse',
  refuseText: 'Reason, shown to the team',
  withdraw: 'Withdraw the request',
  withdrawText: 'Nothing was paid. A withdrawn request can not be approved any more.',
  payAlone: 'Pay now',
  waitsForOthers: 'It waits for another member. You can not approve a request of your own.',
  proveFirst: 'First confirm that it is you.',
  statuses: {
    waiting: 'Waits for approval',
    expired: 'Expired',
    placing: 'Being placed',
    placed: 'Approved',
    refused: 'Refused',
    withdrawn: 'Withdrawn',
    failed: 'Failed',
  },
  lineStates: { waiting: 'not placed', placed: 'placed', failed: 'failed' },
  troubles: {
    unknown: 'It does not exist any more.',
    ended: 'The request was decided already. Its state is below.',
    expired: 'The request has expired. Ask for the payout again.',
    changed: 'It has changed since this page was shown. Check it again.',
    own: 'Another member than the one who asked must decide.',
    already: 'You have approved this request already.',
    'maker-left': 'The member who asked may no longer ask for payouts.',
    book: 'The policy allows addresses of the address book only, after their waiting time.',
    hours: 'The policy allows no payouts at this hour.',
    'hour-limit': 'This is more than the policy allows in an hour.',
    'day-limit': 'This is more than the policy allows in a day.',
    fee: 'The fee is now more than twice the fee that was shown. Wait, or ask for the payout again.',
    taken: 'The address book has this address already.',
    name: 'Type a name of at most 80 characters.',
    address: 'This is no address of that network.',
    rules: 'The policy is not valid. Check the numbers.',
    many: 'There are too many. End or remove some first.',
    asked: 'There is an open request of this refund.',
    'not-served': 'Payouts are not possible: this merchant has ended.',
  },
  saidPlaced: 'Approved. The withdrawal was made.',
  saidPlacing: 'Approved. The withdrawals are being made.',
  saidCounted: (missing) => `Your approval was counted. Approvals missing: ${missing}.`,
  saidRefusedNow: 'The withdrawal is not possible now. The request still waits; your approval was not stored.',
  saidRefusedForGood: 'The withdrawal is not possible. The request has ended.',
  saidDone: 'Done.',
  book: 'Address book',
  bookText: 'Names of addresses that you pay often. The policy can allow only these.',
  noAddresses: 'No addresses yet.',
  name: 'Name',
  network: 'Network',
  address: 'Address',
  add: 'Add the address',
  addTitle: 'New address',
  addText: (hours) => `A new address counts as known after ${hours} h.`,
  usableFrom: (time) => `known from ${time}`,
  usable: 'known',
  pay: 'Pay',
  payTo: (name) => `Pay ${name}`,
  remove: 'Remove',
  removeOf: (name) => `Remove ${name}`,
  policy: 'Policy',
  policyText: 'What these rules forbid is forbidden at once. What they allow in addition is allowed after 24 hours.',
  next: (time) => `A change waits: it is in force from ${time}.`,
  alone: 'Without approval, up to',
  aloneHint: 'In 24 hours, all payouts without approval together. 0: every payout needs an approval.',
  approvals: 'Approvals above that',
  mostHour: 'Most in an hour',
  mostDay: 'Most in 24 hours',
  emptyHint: 'Empty: no limit.',
  api: 'Orders of the API',
  apiHint:
    'Withdrawals, card payouts and exchanges with withdrawal that a program orders with a key. If they obey the policy, they pay at most the amount of each asset in 24 hours, and the limits, addresses and hours of the policy apply. Other orders are refused. Members can not approve an order of the API.',
  apiFree: 'The policy does not apply to them',
  apiLimited: 'They obey the policy',
  apiMost: 'By the API in 24 hours, up to',
  onlyBook: 'Only addresses of the address book',
  anyAddress: 'Any address',
  addresses: 'Addresses',
  hours: 'Hours of approval (UTC)',
  hoursHint: 'The same hour twice: the whole day.',
  fromHour: 'From hour',
  toHour: 'To hour',
  cooling: 'Waiting time of new addresses, hours',
  save: 'Save the policy',
  saveText: 'All owners see the change in the audit log.',
  noLimit: 'no limit',
  upload: 'Upload a file',
  uploadTitle: 'File of payouts',
  uploadText:
    'A CSV file in UTF-8 with at most 1,000 payouts. All of them are checked, and shown with their fees, before anything is stored. One approval is for the whole file.',
  columns: 'Columns',
  example: 'Download an example',
  fileField: 'File',
  uploadCheck: 'Check the file',
  assetName: 'Asset',
  row: 'Line',
  problemsTitle: 'Problems',
  rowsWrong: (n) => `Nothing was stored. Lines with problems: ${n}. Correct the file, and choose it again.`,
  duplicates: (n) => `Payouts that are in the file twice, with the same address and amount: ${n}.`,
  duplicate: (n) => `the same as line ${n}`,
  fileTroubles: {
    empty: 'The file has no payouts.',
    columns: 'The first line must name each column once.',
    many: 'The file has more than 1,000 payouts. Divide it.',
    cells: 'A line has more cells than the first line. Put an amount with a comma in quotes, or write it with a point.',
    broken: 'This is no CSV file in UTF-8.',
  },
  readOnly: 'Only an owner changes the policy.',
}
