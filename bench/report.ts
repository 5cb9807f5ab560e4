/** Prints figures, and passes a bench's figures to the command that runs all benches. */
import type { Row } from './row.ts'

/** Runs a single bench: prints its figures, and sends them to its parent process if there is one. */
export const report = async (run: () => Promise<Row[]>): Promise<void> => {
  const rows = await run()
  for (const row of rows) console.log(lineOf(row))
  process.send?.(rows)
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
}

const lineOf = ({ name, value, unit, limitName, ratio, goal, sense, ok }: Row): string => {
  const figure = `${name}: ${shown(value)} ${unit}`
  if (ratio === null) return `      ${figure}${limitName && ` (${limitName})`}`
  if (goal === null) return `      ${figure}, ${ratio.toFixed(2)} of ${limitName}`
  return `${ok ? 'ok   ' : 'MISS '} ${figure}, ${ratio.toFixed(2)} of ${limitName} (goal: at ${sense} ${goal})`
}

/** A table as Markdown. */
export const tableOf = (rows: readonly Row[]): string => {
  const cells = rows.map(({ name, value, unit, limit, limitName, ratio, goal, sense, ok }) => [
    name,
    `${shown(value)} ${unit}`,
    limit === null ? limitName : `${limitName}: ${shown(limit)}`,
    ratio === null ? '' : ratio.toFixed(2),
    goal === null ? '' : `at ${sense} ${goal}${ok ? '' : ', **missed**'}`,
  ])
  const head = ['measured', 'figure', 'compared with', 'ratio', 'goal']
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Prints a number with three significant digits. */
export const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))
