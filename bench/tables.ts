/**
 * Writes the documents that show figures: all figures in bench/README.md; five of them, with a chart, in the README.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { escapeText } from '@bursar/checkout/html'
import { shown, tableOf } from './report.ts'
import type { Row } from './row.ts'

/** The time and machine of a bench. */
export interface Measured {
  date: string
  machine: string
  rows: readonly Row[]
}

/** Rows of the README: name, and a part of the name of its limit. */
const HEADLINES: readonly (readonly [string, string])[] = [
  ['ledger: posting core, 256 in flight', 'one posting a call'],
  ['withdrawals: signed requests over 64 connections', 'one posting a call'],
  ['edge: signed POST, no database work', 'bare node:http'],
  ['webhooks: one worker', 'undici loop'],
  ['watch: catching up, 200 transfers a block', "BSC's pace"],
]

const at = (file: string): URL => new URL(file, import.meta.url)

/** A machine and a day, and which benches were run there then. */
const captionOf = (all: Readonly<Record<string, Measured>>): string => {
  const runs = new Map<string, string[]>()
  for (const [name, { date, machine: on }] of Object.entries(all))
    runs.set(`${date}: ${on}`, [...(runs.get(`${date}: ${on}`) ?? []), name])
  return [...runs]
    .map(([run, names]) => `Measured on ${run}${runs.size > 1 ? ` (${names.join(', ')})` : ''}.`)
    .join('\n')
}

export const headlinesOf = (rows: readonly Row[]): Row[] =>
  HEADLINES.flatMap(([name, against]) => rows.find((row) => row.name === name && row.limitName.includes(against)) ?? [])

const [BAR_HEIGHT, LEFT, WIDTH, LINE] = [14, 350, 420, 48]
/** A bar at least so long holds its text; that of a shorter one stands behind it. */
const FITS = 250

/**
 * Draws two bars per figure: ours, and below it the limit of the same run. The longer bar of each pair has the full
 * width.
 */
export const chartOf = (rows: readonly Row[]): string => {
  const bars = rows.map(({ name, value, limit, limitName, unit }, i) => {
    const most = Math.max(value, limit ?? 0)
    const bar = (of: number, y: number, color: string, text: string): string => {
      const length = Math.max(1, Math.round((of / most) * WIDTH))
      const fits = length > FITS
      const [x, ink] = fits ? [LEFT + 6, '#fff'] : [LEFT + length + 6, '#15201b']
      return (
        `<rect x="${LEFT}" y="${y}" width="${length}" height="${BAR_HEIGHT}" rx="2" fill="${color}"/>` +
        `<text x="${x}" y="${y + 11}" font-size="10.5" fill="${ink}">${escapeText(text)}</text>`
      )
    }
    const y = 12 + i * LINE
    const label = `<text x="${LEFT - 12}" y="${y + 20}" text-anchor="end" font-size="12" fill="#15201b">${escapeText(name)}</text>`
    const theirs = `${shown(limit ?? 0)}: ${limitName}`
    return (
      label +
      bar(value, y, '#0a6b42', `${shown(value)} ${unit}`) +
      bar(limit ?? 0, y + BAR_HEIGHT + 3, '#7d8983', theirs)
    )
  })
  const [width, height] = [LEFT + WIDTH + 20, 12 + rows.length * LINE]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui,sans-serif">
<rect width="${width}" height="${height}" fill="#fff"/>
${bars.join('\n')}
</svg>
`
}

const between = (text: string, name: string, inside: string): string => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  return `${text.slice(0, text.indexOf(begin))}${begin}\n${inside}${text.slice(text.indexOf(end))}`
}

/** Writes the figures into both documents and the chart. */
export const writeTables = (all: Readonly<Record<string, Measured>>): void => {
  const rows = Object.values(all).flatMap((one) => one.rows)
  const headlines = headlinesOf(rows)
  const write = (file: string, name: string, inside: string): void =>
    writeFileSync(at(file), between(readFileSync(at(file), 'utf8'), name, inside))
  write('README.md', 'bench', `${captionOf(all)}\n\n${tableOf(rows)}\n`)
  write('../README.md', 'bench', `${tableOf(headlines)}\n`)
  writeFileSync(at('../docs/images/figures.svg'), chartOf(headlines))
}
