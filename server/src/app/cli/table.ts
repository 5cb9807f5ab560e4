/** Formats rows under their headers in columns, one line each; columns of figures are aligned to the right. */
export const tableLines = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)))
  const isFigure = heads.map((_, i) => rows.length > 0 && rows.every((row) => /^-?[\d.]+%?$|^-$/.test(row[i]!)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, i) => (isFigure[i] ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd()
  return [heads, ...rows].map(line)
}
