/** What `bursar` says of its commands, as wide as the terminal. */
import type { Command } from './command.ts'
import { usageOf } from './command-line.ts'

const NARROWEST = 60
const WIDEST = 100

const widthOf = (columns: number | undefined): number => Math.min(WIDEST, Math.max(NARROWEST, columns ?? WIDEST))

/** `label` and beside it `words`, broken at spaces, as lines of at most `width` columns. */
const paragraph = (label: string, words: string, at: number, width: number): string[] => {
  const lines: string[] = []
  let line = label.padEnd(at)
  if (label.length >= at) {
    lines.push(label)
    line = ' '.repeat(at)
  }
  let isEmpty = true
  for (const word of words.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ' '.repeat(at)
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}

const LABEL_COLUMNS = 26

/** The list of commands, or of those of one family such as `merchant`. */
export const overview = (commands: readonly Command[], columns = process.stdout.columns): string => {
  const width = widthOf(columns)
  return [
    'usage: bursar COMMAND',
    '',
    ...commands.flatMap(({ name, summary }) => paragraph(`  ${name}`, summary, LABEL_COLUMNS, width)),
    '',
    'bursar COMMAND --help shows what a command takes.',
  ].join('\n')
}

/** Everything that is said of one command. */
export const helpOf = (command: Command, columns = process.stdout.columns): string => {
  const width = widthOf(columns)
  const options = Object.entries(command.options).map(([name, { shown, about }]): [string, string] => [
    `  --${name}${shown === undefined ? '' : ` ${shown}`}`,
    about,
  ])
  if (command.irreversible !== null) options.push(['  --yes', 'go on without asking'])
  return [
    ...paragraph('usage: bursar', usageOf(command), 'usage: bursar '.length, width),
    '',
    ...paragraph('', `${command.summary[0]!.toUpperCase()}${command.summary.slice(1)}.`, 0, width),
    ...(command.irreversible === null
      ? []
      : ['', ...paragraph('', `${command.irreversible} This can't be undone.`, 0, width)]),
    ...(command.more === null ? [] : ['', ...paragraph('', command.more, 0, width)]),
    ...(options.length === 0
      ? []
      : ['', ...options.flatMap(([label, about]) => paragraph(label, about, LABEL_COLUMNS, width))]),
  ].join('\n')
}
