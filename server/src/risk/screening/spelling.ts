/**
 * The one spelling in which addresses are compared with lists: Base58 as it is, hexadecimal and Bech32 in lower case.
 * Addresses of different networks are spelt alike or not at all, so one list serves all.
 */
export const spellingOf = (address: string): string =>
  /^(0x|bc1|tb1|bcrt1)/i.test(address) ? address.toLowerCase() : address
