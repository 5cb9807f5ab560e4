/** Formats the help of `bursar`, in the width of the terminal. */
import type { Command } from './command.ts'
import { usageOf } from './command-line.ts'

const NARROWEST = 60
const WIDEST = 100

const widthOf = (columns: number | undefined): number => Math.min(WIDEST, Math.max(NARROWEST, columns ?? WIDEST))

/** Formats `label` with `words` beside it, broken at spaces into lines of at most `width` columns. */
const paragraph = (label: string, words: string, at: number, width: number): string[] => {
  const lines: string[] = []
  let line = label.padEnd(at)
  if (label !== '' && label.length >= at) {
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

/** The commands about one subject, as the list of all commands groups them. */
export interface Topic {
  title: string
  commands: readonly Command[]
}

const lines = (commands: readonly Command[], width: number): string[] =>
  commands.flatMap(({ name, summary }) => paragraph(`  ${name}`, summary, LABEL_COLUMNS, width))

const ADVICE = '"bursar COMMAND --help" shows the arguments of a command.'

/** Lists all commands by subject. */
export const overview = (topics: readonly Topic[], columns = process.stdout.columns): string => {
  const width = widthOf(columns)
  return [
    'usage: bursar COMMAND',
    ...topics.flatMap(({ title, commands }) => ['', title, ...lines(commands, width)]),
    '',
    ...paragraph('', ADVICE, 0, width),
    ...paragraph('', 'Every command but serve takes --json: one JSON object instead of text.', 0, width),
    ...paragraph(
      '',
      'Exit codes: 0 the command succeeded, 1 it failed or a check found a fault, 2 wrong usage.',
      0,
      width,
    ),
  ].join('\n')
}

/** Lists the commands of one group, such as `merchant`. */
export const familyList = (commands: readonly Command[], columns = process.stdout.columns): string =>
  ['commands:', ...lines(commands, widthOf(columns)), '', ADVICE].join('\n')

/** Formats the help of one command, and lists the commands whose names begin with its name. */
export const helpOf = (command: Command, members: readonly Command[], columns = process.stdout.columns): string => {
  const width = widthOf(columns)
  const options = Object.entries(command.options).map(([name, { shown, about }]): [string, string] => [
    `  --${name}${shown === undefined ? '' : ` ${shown}`}`,
    about,
  ])
  if (!command.isProcess) options.push(['  --json', 'one JSON object instead of text'])
  if (command.irreversible !== null) options.push(['  --yes', 'go on without asking'])
  const parts = [
    paragraph('usage: bursar', usageOf(command), 'usage: bursar '.length, width),
    paragraph('', `${command.summary[0]!.toUpperCase()}${command.summary.slice(1)}.`, 0, width),
    command.irreversible === null ? [] : paragraph('', `${command.irreversible} This can't be undone.`, 0, width),
    command.more === null ? [] : command.more.split('\n').flatMap((line) => paragraph('', line, 0, width)),
    options.flatMap(([label, about]) => paragraph(label, about, LABEL_COLUMNS, width)),
    members.length === 0 ? [] : ['more commands:', ...lines(members, width)],
  ]
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')
}
