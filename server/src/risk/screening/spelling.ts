/**
 * Returns the spelling in which addresses are compared with lists: Base58 unchanged, hexadecimal and Bech32 in lower
 * case. An address has the same spelling on all networks that know it, so one list serves all networks.
 */
export const spellingOf = (address: string): string =>
  /^(0x|bc1|tb1|bcrt1)/i.test(address) ? address.toLowerCase() : address
