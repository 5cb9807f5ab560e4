import { print } from './command.ts'

/** Prints rows under their heads in columns; columns of figures to the right. */
export const printTable = (heads: readonly string[], rows: readonly (readonly string[])[]): void => {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)))
  const isFigure = heads.map((_, i) => rows.length > 0 && rows.every((row) => /^-?[\d.]+%?$|^-$/.test(row[i]!)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isFigure[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd()
  print(line(heads))
  for (const row of rows) print(line(row))
}
