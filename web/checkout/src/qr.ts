import { encode } from 'uqr'
import { html, type Markup } from './html.ts'

/** The width of the white margin around a code that its standard requires, in modules (ISO/IEC 18004, 6.3.8). */
const QUIET = 4

/**
 * Renders a text as a QR code: one path, dark on a white background of its own, so that it can be scanned in every
 * theme.
 * @param label text alternative
 */
export const qrImage = (text: string, label: string): Markup => {
  const { side, path } = drawn(text)
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path stroke="#000" d="${path}"/></svg>`
}

interface Drawing {
  side: number
  path: string
}

const drawings = new Map<string, Drawing>()
/** A page is rendered again and again, and choosing the best of eight masks takes longer than everything else. */
const MOST_CACHED = 1_000

const drawn = (text: string): Drawing => {
  const cached = drawings.get(text)
  if (cached) return cached
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const drawing = { side: size + QUIET * 2, path: data.map(rowOf).join('') }
  if (drawings.size >= MOST_CACHED) drawings.delete(drawings.keys().next().value!)
  drawings.set(text, drawing)
  return drawing
}

/** Draws the dark runs of a row as a dashed line along its middle, one module thick. */
const rowOf = (row: readonly boolean[], y: number): string => {
  let line = ''
  let at = 0
  for (let x = 0; x < row.length; x += 1) {
    if (row[x] !== true) continue
    const start = x
    while (row[x + 1] === true) x += 1
    line += line === '' ? `M${start + QUIET} ${y + QUIET}.5` : `m${start - at} 0`
    line += `h${x - start + 1}`
    at = x + 1
  }
  return line
}
