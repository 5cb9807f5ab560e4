import { mayRole, type Action, type Membership } from '../access/index.ts'
import { merchantPath, type Visit } from './visit.ts'

/** The parts of the pages about a merchant in the order of the menu, with the action that each needs. */
const PARTS = [
  ['home', 'see-payments'],
  ['payments', 'see-payments'],
  ['links', 'see-payments'],
  ['balances', 'see-balances'],
  ['payouts', 'see-payouts'],
  ['webhooks', 'see-webhooks'],
  ['keys', 'manage-keys'],
  ['archive', 'export-all'],
  ['settings', 'manage-settings'],
  ['team', 'see-team'],
  ['audit', 'see-audit'],
] as const satisfies readonly (readonly [part: string, action: Action])[]

export type MerchantPart = (typeof PARTS)[number][0]

export interface MerchantLink {
  part: MerchantPart
  path: string
  text: string
}

/** Links to the pages of a merchant that a role may see. */
export const merchantLinks = (
  { words }: Pick<Visit, 'words'>,
  { merchantId, role }: Pick<Membership, 'merchantId' | 'role'>,
): MerchantLink[] =>
  PARTS.filter(([, action]) => mayRole(role, action)).map(([part]) => ({
    part,
    path: merchantPath(merchantId, part),
    text: words[part],
  }))
