import { encode } from 'uqr'
import { html, type Markup } from './html.ts'

/** Modules of white around a code, as its standard wants (ISO/IEC 18004, 6.3.8). */
const QUIET = 4

/**
 * A text as a QR code: one path, dark on its own white ground, so that it can be read in any theme.
 * @param label what it is, for who can't see it
 */
export const qrImage = (text: string, label: string): Markup => {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const side = size + QUIET * 2
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${pathOf(data)}"/></svg>`
}

/** Each run of dark modules of a row is one rectangle. */
const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows.map((row, y) => {
    let path = ''
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue
      const start = x
      while (row[x + 1] === true) x += 1
      const width = x - start + 1
      path += `M${start + QUIET} ${y + QUIET}h${width}v1h-${width}z`
    }
    return path
  }).join('')
