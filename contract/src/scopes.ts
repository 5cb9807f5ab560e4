/** The rights of additional keys of a merchant (`contract.md` 2.1). The main key has all of them. */

/**
 * - read: look up and list everything, balances and notifications included
 * - invoices: create and close invoices, create and disable payment links, create deposit addresses
 * - payouts: send money to an address or a card
 * - exchange: exchange balances, and ask for prices that are promised
 */
export const SCOPES = ['read', 'invoices', 'payouts', 'exchange'] as const

export type Scope = (typeof SCOPES)[number]

/** Scopes that move money, or decide where it goes. */
export const MONEY_SCOPES: readonly Scope[] = ['payouts', 'exchange']

/**
 * All scopes that a request needs. A `target` exchanges the money that arrives, and with an `address` it also sends
 * that money away: an invoice or a deposit address with a target needs the scopes of what the target does.
 * @param body the body after it was validated; undefined when there is none
 */
export const scopesOf = ({ scopes }: { scopes: readonly Scope[] }, body: unknown): readonly Scope[] => {
  const { target } = (body ?? {}) as { target?: { address?: string } | null }
  if (target === undefined || target === null) return scopes
  return [...new Set<Scope>([...scopes, 'exchange', ...(target.address === undefined ? [] : ['payouts' as const])])]
}
