import type { Role, TeamTrouble } from '../../access/index.ts'

/** The texts of the dashboard. Every language must have these keys, or it does not compile. */
export interface Words {
  signIn: string
  signOut: string
  menu: string
  merchants: string
  security: string
  signInTitle: string
  signInAgain: string
  withPasskey: string
  passkeyFailed: string
  withPassword: string
  noPasskeys: string
  email: string
  password: string
  code: string
  codeHint: string
  refused: string
  /** the answer to every invitation that can't be accepted */
  goneTitle: string
  gone: string
  joinTitle: (merchant: string) => string
  resetTitle: string
  joinText: (role: string) => string
  joinAs: (email: string) => string
  existing: string
  accept: string
  makePasskey: string
  makePasskeyText: string
  passkeyName: string
  passkeyNameHint: string
  usePassword: string
  /** in place of `usePassword`, where no passkey can be offered */
  setPassword: string
  usePasswordText: string
  newPassword: string
  newPasswordHint: string
  authenticator: string
  authenticatorText: string
  authenticatorKey: string
  authenticatorCode: string
  qr: string
  passwordWeak: string
  codeWrong: string
  passkeyNotMade: string
  codesTitle: string
  codesText: string
  goOn: string
  merchantsTitle: string
  noMerchants: string
  proveTitle: string
  proveText: string
  proveNeeded: string
  prove: string
  passkeysTitle: string
  noneYet: string
  added: (time: string) => string
  lastUsed: (time: string) => string
  neverUsed: string
  remove: (name: string) => string
  removeShort: string
  addPasskey: string
  lastPasskey: string
  recoveryTitle: string
  recoveryLeft: (count: number) => string
  renewCodes: string
  sessionsTitle: string
  thisSession: string
  since: (time: string) => string
  end: (browser: string) => string
  endShort: string
  endOthers: string
  activityTitle: string
  done: string
  notDone: string
  proved: string
  proveFirst: string
  changePassword: string
  passwordEnds: string
  home: string
  links: string
  payments: string
  balances: string
  payouts: string
  webhooks: string
  settings: string
  keys: string
  archive: string
  team: string
  audit: string
  notAllowedTitle: string
  notAllowed: string
  members: string
  you: string
  role: string
  change: string
  changeOf: (email: string) => string
  changeRole: string
  invitations: string
  invitedBy: (who: string) => string
  operator: string
  validUntil: (time: string) => string
  resend: string
  resendTo: (email: string) => string
  withdraw: string
  withdrawFrom: (email: string) => string
  inviteTitle: string
  inviteText: string
  invite: string
  /** why the team was not changed */
  teamTroubles: Record<TeamTrouble, string>
  noActions: string
  older: string
  roles: Record<Role, string>
  methods: Record<'passkey' | 'password' | 'recovery', string>
  /** by the action as recorded in the audit log */
  actions: Readonly<Record<string, string>>
}

export const en: Words = {
  signIn: 'Sign in',
  signOut: 'Sign out',
  menu: 'Dashboard',
  merchants: 'Merchants',
  security: 'Security',
  signInTitle: 'Sign in',
  signInAgain: 'Your session has ended. Sign in, and go on where you were. The text that you typed is kept.',
  withPasskey: 'Sign in with a passkey',
  passkeyFailed: 'The passkey was not used. Try again, or sign in with a password.',
  withPassword: 'With a password',
  noPasskeys: 'Passkeys need a browser that supports them, with scripts allowed.',
  email: 'E-mail',
  password: 'Password',
  code: 'Code',
  codeHint: 'Six digits from your authenticator app, or a recovery code.',
  refused:
    'That did not work. Check the address, the password and the code. After several attempts, wait and try later.',
  goneTitle: 'This invitation can not be used',
  gone: 'It was used or withdrawn, has expired, or its link is not complete. Ask for a new one.',
  joinTitle: (merchant) => `${merchant} invites you`,
  resetTitle: 'Set up a new way to sign in',
  joinText: (role) => `Your role: ${role}.`,
  joinAs: (email) => `For ${email}.`,
  existing: 'You have an account already. Sign in, and open the link again.',
  accept: 'Accept the invitation',
  makePasskey: 'Make a passkey',
  makePasskeyText: 'You sign in by your fingerprint, face or device PIN. Nothing can be guessed or stolen by mail.',
  passkeyName: 'Name of the passkey',
  passkeyNameHint: 'To recognise it later, such as “work laptop”.',
  usePassword: 'Use a password instead',
  setPassword: 'Set a password',
  usePasswordText: 'You need an authenticator app on your phone for one-time codes.',
  newPassword: 'New password',
  newPasswordHint: 'At least 12 characters. A few unrelated words are good.',
  authenticator: 'Authenticator app',
  authenticatorText: 'Scan the code with the app, or type the key. Then enter the six digits that the app shows.',
  authenticatorKey: 'Key',
  authenticatorCode: 'Code of the app',
  qr: 'QR code for the authenticator app',
  passwordWeak: 'Choose a password of 12 to 200 characters that is not your address.',
  codeWrong: 'The code of the app does not fit. Enter the newest one, and check the time of your phone.',
  passkeyNotMade: 'The passkey was not made. Try again.',
  codesTitle: 'Save your recovery codes',
  codesText:
    'Each code signs you in once, in place of a code of the app. They are shown now and never again. Keep them where your phone is not.',
  goOn: 'I have saved them',
  merchantsTitle: 'Choose a merchant',
  noMerchants: 'You are a member of no merchant.',
  proveTitle: 'Confirm that it is you',
  proveText:
    'After you confirm, security settings, the team, payouts and other important matters can be changed for five minutes.',
  proveNeeded: 'First confirm that it is you. What you typed is kept.',
  prove: 'Confirm',
  passkeysTitle: 'Passkeys',
  noneYet: 'None yet.',
  added: (time) => `Added ${time}`,
  lastUsed: (time) => `last used ${time}`,
  neverUsed: 'not used yet',
  remove: (name) => `Remove ${name}`,
  removeShort: 'Remove',
  addPasskey: 'Add a passkey',
  lastPasskey: 'This is your only way to sign in. Add another one first.',
  recoveryTitle: 'Recovery codes',
  recoveryLeft: (count) => `Unused codes: ${count}.`,
  renewCodes: 'Replace the codes',
  sessionsTitle: 'Sessions',
  thisSession: 'this session',
  since: (time) => `Since ${time}`,
  end: (browser) => `End the session of ${browser}`,
  endShort: 'End',
  endOthers: 'End all other sessions',
  activityTitle: 'Your activity',
  done: 'Done.',
  notDone: 'That did not work, and nothing was changed.',
  proved: 'Confirmed. Go on where you were.',
  proveFirst: 'Confirm first that it is you.',
  changePassword: 'Change the password',
  passwordEnds: 'With a new password, all your other sessions end, and you get new recovery codes.',
  home: 'Home',
  links: 'Payment links',
  payments: 'Payments',
  balances: 'Balances',
  payouts: 'Payouts',
  webhooks: 'Webhooks',
  keys: 'Keys',
  archive: 'Archive',
  settings: 'Settings',
  team: 'Team',
  audit: 'Audit log',
  notAllowedTitle: 'Your role does not allow this',
  notAllowed: 'Ask an owner or an administrator of the merchant.',
  members: 'Members',
  you: 'you',
  role: 'Role',
  change: 'Change',
  changeOf: (email) => `Change ${email}`,
  changeRole: 'Change the role',
  invitations: 'Open invitations',
  invitedBy: (who) => `invited by ${who}`,
  operator: 'operator',
  validUntil: (time) => `valid until ${time}`,
  resend: 'Send again',
  resendTo: (email) => `Send again to ${email}`,
  withdraw: 'Withdraw',
  withdrawFrom: (email) => `Withdraw the invitation of ${email}`,
  inviteTitle: 'Invite a person',
  inviteText: 'The person gets a mail with a link that works once, within seven days.',
  invite: 'Send the invitation',
  teamTroubles: {
    unknown: 'There is no such member or open invitation any more.',
    'last-owner': 'The merchant must have an owner. First make another member an owner.',
    member: 'The address is a member of this merchant already.',
    address: 'This is not a mail address. Write it like name@example.com.',
    limited: 'Too many invitations were sent. Try again in an hour.',
    full: 'The merchant has 100 open invitations. Withdraw some that are no longer needed.',
    'no-mail': 'Mail is not set up, so no invitation was sent. Ask the operator.',
  },
  noActions: 'Nothing has been recorded yet.',
  older: 'Older entries',
  roles: {
    owner: 'owner',
    admin: 'administrator',
    finance: 'finance',
    approver: 'approver',
    support: 'support',
    developer: 'developer',
    viewer: 'viewer',
  },
  methods: { passkey: 'passkey', password: 'password', recovery: 'recovery code' },
  actions: {
    'added key': 'Made a key',
    'revoked key': 'Revoked a key',
    'created invoice': 'Made an invoice',
    'created link': 'Created a payment link',
    'changed link': 'Changed a payment link',
    'stopped link': 'Stopped a payment link',
    'started link': 'Started a payment link again',
    'requested payout': 'Requested a payout',
    'approved payout': 'Approved a payout',
    'paid without approval': 'Paid without an approval',
    'refused payout': 'Refused a payout',
    'withdrew payout': 'Withdrew a request of a payout',
    'payout failed': 'A payout failed',
    'added payout address': 'Added an address to the address book',
    'removed payout address': 'Removed an address from the address book',
    'changed payout policy': 'Changed the policy of payouts',
    'replayed webhook': 'Sent a notification again',
    'tested webhook': 'Sent a test notification',
    'changed webhook URL': 'Changed the URL of webhooks',
    'changed settings': 'Changed the settings',
    'took archive': 'Downloaded the archive',
    'woke webhooks': 'Sent waiting notifications',
    'signed in': 'Signed in',
    'set up sign-in': 'Set up sign-in',
    proved: 'Confirmed',
    'added passkey': 'Added a passkey',
    'removed passkey': 'Removed a passkey',
    'renewed recovery codes': 'Replaced the recovery codes',
    'ended session': 'Ended a session',
    'ended other sessions': 'Ended all other sessions',
    joined: 'Joined a merchant',
    invited: 'Invited',
    removed: 'Removed from a merchant',
    'access reset': 'Access reset by the operator',
    'set password': 'Set a password',
    'sign-in refused': 'A sign-in was refused',
    'sign-in blocked': 'A sign-in was refused, and passwords were blocked for a while',
    'changed role': 'Changed the role',
    'withdrew invitation': 'Withdrew an invitation',
  },
}
