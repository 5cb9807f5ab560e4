/**
 * Logos of merchants. Guarantees:
 * - a stored logo is a PNG or JPEG with nothing but its picture, of limited size;
 * - a logo is served with a fixed type, under the hash of its bytes;
 * - payers see no draft.
 */
export { LogoProblem, MOST_FILE_BYTES, type LogoTrouble } from './problem.ts'
export { readLogo, type Logo } from './reading.ts'
export { logoPath, logoRoute } from './route.ts'
export {
  logoHashes,
  logosOf,
  removeLogo,
  showDraft,
  shownLogoOf,
  shownReference,
  storeDraft,
  type LogoReference,
  type LogoState,
} from './store.ts'
