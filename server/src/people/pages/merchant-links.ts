import { mayRole, type Action, type Membership } from '../access/index.ts'
import { merchantPath, type Visit } from './visit.ts'
import type { Words } from './words/index.ts'

/** A heading of the menu; `money` has none, because its pages come first. */
type Group = 'money' | Exclude<keyof Words['groups'], 'account'>

/** The parts of the pages about a merchant in the order of the menu, with the action that each needs. */
const PARTS = [
  ['home', 'money', 'see-payments'],
  ['payments', 'money', 'see-payments'],
  ['refunds', 'money', 'see-payments'],
  ['links', 'money', 'see-payments'],
  ['balances', 'money', 'see-balances'],
  ['exchange', 'money', 'see-exchanges'],
  ['payouts', 'money', 'see-payouts'],
  ['webhooks', 'developers', 'see-webhooks'],
  ['requests', 'developers', 'see-requests'],
  ['keys', 'developers', 'manage-keys'],
  ['team', 'company', 'see-team'],
  ['settings', 'company', 'manage-settings'],
  ['audit', 'company', 'see-audit'],
  ['archive', 'company', 'export-all'],
] as const satisfies readonly (readonly [part: string, group: Group, action: Action])[]

export type MerchantPart = (typeof PARTS)[number][0]

interface MerchantLink {
  part: MerchantPart
  path: string
  text: string
}

interface MenuGroup {
  title: string | undefined
  links: readonly MerchantLink[]
}

/** Links to the pages of a merchant that a role may see, in groups that are not empty. */
export const merchantLinks = (
  { words }: Pick<Visit, 'words'>,
  { merchantId, role }: Pick<Membership, 'merchantId' | 'role'>,
): MenuGroup[] =>
  (['money', 'developers', 'company'] as const)
    .map((group) => ({
      title: group === 'money' ? undefined : words.groups[group],
      links: PARTS.filter(([, of, action]) => of === group && mayRole(role, action)).map(([part]) => ({
        part,
        path: merchantPath(merchantId, part),
        text: words[part],
      })),
    }))
    .filter(({ links }) => links.length > 0)
