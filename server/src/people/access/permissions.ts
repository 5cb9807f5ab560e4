import type { Db, Tx } from '../../platform/db/index.ts'
import { membershipOf } from './people.ts'
import { ROLES, type Role } from './roles.ts'

/**
 * The actions of people for a merchant, with the roles that may do each. Every command names its action, and checks it
 * in its own transaction. docs/operating/permissions.md is generated from this table.
 */
export const PERMISSIONS = {
  'see-payments': { does: 'read invoices, card payments and deposits, and export them', roles: ROLES },
  'create-invoices': {
    does: 'make invoices, and create, change and stop payment links',
    roles: ['owner', 'admin', 'finance', 'support'],
  },
  'mail-payers': {
    does: 'mail the pages of invoices and payment links to payers',
    roles: ['owner', 'admin', 'finance', 'support'],
  },
  'see-balances': {
    does: 'read balances and their statements, and export them',
    roles: ['owner', 'admin', 'finance', 'approver', 'viewer'],
  },
  'see-exchanges': {
    does: 'read exchanges, and export them',
    roles: ['owner', 'admin', 'finance', 'approver', 'viewer'],
  },
  exchange: {
    does: 'exchange a balance at the current price, and choose the asset to which payments are exchanged',
    roles: ['owner', 'finance'],
  },
  'see-payouts': {
    does: 'read requests of payouts, the address book and the policy',
    roles: ['owner', 'admin', 'finance', 'approver', 'viewer'],
  },
  'request-payouts': {
    does: 'ask for payouts, and withdraw own requests; pay alone up to the amount that the policy allows',
    roles: ['owner', 'admin', 'finance'],
  },
  'approve-payouts': {
    does: 'approve and refuse payouts and refunds that another member asked for',
    roles: ['owner', 'admin', 'finance', 'approver'],
  },
  'refund-payments': {
    does: 'refuse refund claims, ask for refunds of payments, and withdraw own requests; refund alone up to the amount that the policy of payouts allows',
    roles: ['owner', 'admin', 'finance'],
  },
  'manage-payout-addresses': {
    does: 'add addresses to the address book of payouts, and remove them',
    roles: ['owner', 'admin', 'finance'],
  },
  'manage-payout-policy': { does: 'change the policy of payouts', roles: ['owner'] },
  'erase-payers': {
    does: 'erase the e-mail address of a payer from everything but stored notifications',
    roles: ['owner', 'admin'],
  },
  'see-webhooks': {
    does: 'read the notifications of the merchant, their attempts and the endpoint',
    roles: ['owner', 'admin', 'support', 'developer'],
  },
  'replay-webhooks': {
    does: 'send notifications again, and a test notification',
    roles: ['owner', 'admin', 'support', 'developer'],
  },
  'manage-webhooks': {
    does: 'change the endpoints of notifications',
    roles: ['owner', 'admin', 'developer'],
  },
  'see-requests': {
    does: 'read the counts of requests to the API, and those that were refused',
    roles: ['owner', 'admin', 'support', 'developer'],
  },
  'export-all': {
    does: 'take the archive of everything that the merchant owns',
    roles: ['owner', 'admin'],
  },
  'manage-settings': {
    does: 'see and change the colour, the logo, the help, redirect hosts and mails of the merchant, and see its limits',
    roles: ['owner', 'admin'],
  },
  'manage-keys': {
    does: 'see the keys of the API, make keys with the scopes `read` and `invoices`, revoke any additional key; a program with `read` sees the balances',
    roles: ['owner', 'admin', 'developer'],
  },
  'manage-money-keys': {
    does: 'make keys with the scopes `payouts` and `exchange`',
    roles: ['owner'],
  },
  'see-team': { does: 'see the members and the open invitations', roles: ROLES },
  'manage-members': {
    does: 'invite and remove people, send invitations again, withdraw them, change roles: all but owners',
    roles: ['owner', 'admin'],
  },
  'manage-owners': { does: 'the same for owners, and make a member an owner', roles: ['owner'] },
  'see-audit': { does: 'read the audit log of the merchant', roles: ['owner', 'admin'] },
} as const satisfies Record<string, { does: string; roles: readonly Role[] }>

export type Action = keyof typeof PERMISSIONS

/** Whether a role may do an action. */
export const mayRole = (role: Role, action: Action): boolean =>
  (PERMISSIONS[action].roles as readonly Role[]).includes(role)

/** The action that inviting, changing or removing a member of this role needs. */
export const managing = (role: Role): Action => (role === 'owner' ? 'manage-owners' : 'manage-members')

/** A person, an action, and the merchant for which the person wants to do it. */
interface Asked {
  personId: string
  action: Action
  merchantId: string
}

/**
 * Whether a person may do something for a merchant now. False for an unknown or disabled merchant, and for a person who
 * is no member.
 */
export const can = async (db: Db | Tx, { personId, action, merchantId }: Asked): Promise<boolean> => {
  const membership = await membershipOf(db, personId, merchantId)
  return membership !== undefined && mayRole(membership.role, action)
}

/** The person may not do this for the merchant. */
export class NotAllowed extends Error {
  override name = 'NotAllowed'
}

/** Throws NotAllowed unless the person may do it now. A command calls it in its transaction. */
export const authorise = async (db: Db | Tx, asked: Asked): Promise<void> => {
  if (!(await can(db, asked))) throw new NotAllowed(`not allowed: ${asked.action}`)
}
