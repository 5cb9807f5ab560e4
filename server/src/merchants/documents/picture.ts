import { shownLogoOf } from '../logos/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'

/** A PNG or JPEG file in a document. Sizes in pixels. */
export interface Picture {
  bytes: Uint8Array
  width: number
  height: number
}

/** The logo of a merchant for its documents; undefined if it shows none. */
export const pictureOf = async (db: Db | Tx, merchantId: string): Promise<Picture | undefined> => {
  const logo = await shownLogoOf(db, merchantId)
  // A copy: a thread gets the whole memory behind a view.
  return logo && { bytes: Uint8Array.from(logo.bytes), width: logo.width, height: logo.height }
}
