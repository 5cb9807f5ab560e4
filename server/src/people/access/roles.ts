/** The roles of members for a merchant. The order is that of choices on pages. */
export const ROLES = ['owner', 'admin', 'finance', 'approver', 'support', 'developer', 'viewer'] as const

export type Role = (typeof ROLES)[number]

export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text)
