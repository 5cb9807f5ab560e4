import { encodeBalanceOf } from '@bursar/chainkit/evm'

/**
 * What issuers call their list of frozen accounts: Tether `isBlackListed(address)`, Circle `isBlacklisted(address)`.
 */
const SELECTORS = ['e47d6060', 'fe575a87']

/**
 * The calls that tell whether an issuer has frozen an account, its address in the form of Ethereum; a token has one of
 * them, or none.
 */
export const freezeCalls = (address: string): `0x${string}`[] =>
  SELECTORS.map((selector): `0x${string}` => `0x${selector}${encodeBalanceOf(address).slice(10)}`)
