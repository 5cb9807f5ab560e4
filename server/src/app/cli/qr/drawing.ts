import type { QrMatrix } from './matrix.ts'

/** The margin of light modules around a code, without which scanners do not find it. */
const QUIET = 4

const withQuietZone = (matrix: QrMatrix): boolean[][] => {
  const size = matrix.length + 2 * QUIET
  return Array.from({ length: size }, (_, r) =>
    Array.from({ length: size }, (__, c) => matrix[r - QUIET]?.[c - QUIET] ?? false),
  )
}

/** Draws a code for a terminal: two modules per character, black on white regardless of the terminal's colours. */
export const qrAsText = (matrix: QrMatrix): string => {
  const rows = withQuietZone(matrix)
  const lines = Array.from({ length: Math.ceil(rows.length / 2) }, (_, pair) =>
    rows[pair * 2]!.map((upper, c) => ' ▀▄█'[(upper ? 1 : 0) + (rows[pair * 2 + 1]?.[c] ? 2 : 0)]).join(''),
  )
  return lines.map((line) => `\u001B[30;107m${line}\u001B[0m`).join('\n')
}

/** Draws a code as one path of dark squares on white. */
export const qrAsSvg = (matrix: QrMatrix): string => {
  const rows = withQuietZone(matrix)
  const path = rows.flatMap((row, r) => row.flatMap((isDark, c) => (isDark ? [`M${c} ${r}h1v1h-1z`] : []))).join('')
  const size = rows.length
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`
}
