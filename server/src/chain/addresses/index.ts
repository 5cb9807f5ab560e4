/**
 * Deposit addresses. Guarantees that an address has one owner permanently, that no address is issued for two requests,
 * and that the owners of all addresses in a block are found by one query, whose cost does not grow with the number of
 * addresses.
 */
export { replenish } from './commands.ts'
export { createDerivationCheck, depositAddress } from './derivation.ts'
export type { DepositKeys } from './derivation.ts'
export { giveBack, leap, readCounters, rememberForgotten, setAside } from './forgotten.ts'
export { INDEX_LEAP, takeIndexes } from './indexes.ts'
export { firstIndex, seedOf, type Seeds } from './seeds.ts'
export { familyOf } from './family.ts'
export type { AddressFamily } from './family.ts'
export { createAddressIssuer, issueInside } from './issuing.ts'
export type { AddressIssuer } from './issuing.ts'
export {
  isAtStolenSeed,
  isFirstSeedStolen,
  isOfReplacedSeed,
  isOfStolenSeed,
  isSeedReplaced,
  knowColdAddress,
  knowHotAddresses,
  noteStolenSeed,
  replacedHotAddresses,
  sampleAddresses,
} from './own.ts'
export {
  addressesAfter,
  addressesById,
  coldAddressesAmong,
  holdersOf,
  ownAddressesAmong,
  isOurs,
  lockAddresses,
  openLeases,
  ownerOf,
} from './queries.ts'
export type { AddressOwner, OwnAddress } from './queries.ts'
export { addressRoutes } from './routes.ts'

export { createStockJob, stockOf } from './stock.ts'
