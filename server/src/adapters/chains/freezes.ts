import { encodeBalanceOf } from '@bursar/chainkit/evm'

/**
 * Issuers' functions that look up frozen accounts: Tether `isBlackListed(address)`, Circle `isBlacklisted(address)`.
 */
const SELECTORS = ['e47d6060', 'fe575a87']

/**
 * Call data that queries whether an issuer has frozen an account, given in Ethereum's address form. A token implements
 * one of these functions or none.
 */
export const freezeCalls = (address: string): `0x${string}`[] =>
  SELECTORS.map((selector): `0x${string}` => `0x${selector}${encodeBalanceOf(address).slice(10)}`)
