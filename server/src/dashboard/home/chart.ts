import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { mulDiv } from '../../platform/money/index.ts'

/** A value of a day, and its text. Values are comparable numbers without a sign. */
export interface Point {
  day: string
  value: bigint
  text: string
}

export interface Chart {
  id: string
  title: string
  note: string
  columns: readonly [day: string, value: string]
  /** shows and hides the table */
  tableTitle: string
  shape: 'bars' | 'line'
  points: readonly Point[]
}

const [WIDTH, HEIGHT] = [720, 160]
/** The space between a bar and the next one, as a part of the width of a bar. */
const GAP = 0.25

/**
 * A chart as a picture that the server draws, with the same values as a table. The picture has no texts: readers of
 * screens get its largest value, and the table.
 */
export const chartOf = ({ id, title, note, columns, tableTitle, shape, points }: Chart): Markup => {
  const most = points.reduce((largest, point) => (point.value > largest.value ? point : largest), points[0]!)
  const heights = points.map(({ value }) => heightOf(value, most.value))
  const drawn = shape === 'bars' ? barsOf(heights) : lineOf(heights)
  const [first, last] = [points[0]!, points.at(-1)!]
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="soft">${note}</p>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${most.text}">${drawn}</svg>
<div class="axis soft"><span>${first.day}</span><span>${most.text}</span><span>${last.day}</span></div>
<details><summary>${tableTitle}</summary><table><thead><tr>${columns.map(
    (column, i) => html`<th scope="col"${i > 0 && html` class="num"`}>${column}</th>`,
  )}</tr></thead><tbody>${points.toReversed().map((point) => html`<tr><td>${point.day}</td><td class="num">${point.text}</td></tr>`)}</tbody></table></details></section>`
}

/** In the picture, rounded to whole points; a value above zero is visible. */
const heightOf = (value: bigint, most: bigint): number => {
  if (value <= 0n || most <= 0n) return 0
  return Math.max(1, Number(mulDiv(value, BigInt(HEIGHT), most, 'down')))
}

const barsOf = (heights: readonly number[]): Piece => {
  const step = WIDTH / heights.length
  return heights.map(
    (height, i) =>
      height > 0 &&
      html`<rect x="${(i * step).toFixed(1)}" y="${HEIGHT - height}" width="${(step * (1 - GAP)).toFixed(1)}" height="${height}"/>`,
  )
}

const lineOf = (heights: readonly number[]): Piece => {
  const step = WIDTH / Math.max(1, heights.length - 1)
  const at = heights.map((height, i) => `${(i * step).toFixed(1)},${HEIGHT - height}`)
  return html`<polygon points="0,${HEIGHT} ${at.join(' ')} ${WIDTH},${HEIGHT}"/><polyline points="${at.join(' ')}"/>`
}
