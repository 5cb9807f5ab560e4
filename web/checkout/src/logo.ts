import { html, type Markup } from './html.ts'

/** A picture of the seller. */
export interface SellerLogo {
  /** a path of this origin, or a `data:` URL */
  src: string
  /** pixels of the picture */
  width: number
  height: number
}

/** The largest size of a logo on a page, in CSS pixels. */
const BOX = { width: 160, height: 40 }

/**
 * Renders a logo on white, in the largest size that fits into the box. The size is in the markup, so that nothing moves
 * when the picture arrives. Beside it is the name of the seller, so that a screen reader needs no other text.
 */
export const logoPiece = ({ src, width, height }: SellerLogo): Markup => {
  const scale = Math.min(BOX.width / width, BOX.height / height)
  const [wide, high] = [width, height].map((side) => Math.max(1, Math.round(side * scale)))
  return html`<img class="logo" src="${src}" width="${wide!}" height="${high!}" alt="" decoding="async">`
}
