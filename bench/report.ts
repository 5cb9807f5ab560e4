/** How figures are shown, and how a bench hands them to the command that runs them all. */
import type { Row } from './row.ts'

/** Runs a bench that was started by itself: its figures go to the terminal, and to its parent if it has one. */
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
  const head = ['measured', 'figure', 'held against', 'ratio', 'goal']
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Three digits that mean something. */
export const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))
