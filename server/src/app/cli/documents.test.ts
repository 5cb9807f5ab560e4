/** Documents and texts of the program name commands and options that exist, and each alert on its page. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REFUSALS } from '@bursar/signer/refusals'
import { describe, expect, test } from 'vitest'
import { ALERT_KINDS, alertRowOf } from '../../platform/runtime/alert-kinds.ts'
import type { Command } from './command.ts'
import { placeOf } from './command-line.ts'
import { commands } from './index.ts'

const root = new URL('../../../../', import.meta.url).pathname
/** Lists of tests, which repeat their titles. */
const GENERATED = ['docs/audit.md', 'docs/faults.md']
const documents = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'sdk/*.md'], { cwd: root })
  .filter((path) => !GENERATED.includes(path))
  .toSorted()

/** Lines of code blocks and inline code, with the place of each. */
const codeOf = (path: string): { at: string; code: string }[] => {
  let inBlock = false
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const at = `${path}:${index + 1}`
      if (/^\s*```/.test(line)) {
        inBlock = !inBlock
        return []
      }
      if (inBlock) return [{ at, code: line }]
      return [...line.matchAll(/(`+)(.+?)\1/g)].map(([, , code]) => ({ at, code: code! }))
    })
}

/** The command lines in a piece of code, each as its words: without comments, redirections and alternatives. */
const commandLines = (code: string): string[][] =>
  code
    .replace(/\s#\s.*$|(?<=\S) {3,}\S.*$/, '')
    .replaceAll(/ \| (?!(?:npm run )?bursar)\S+/g, '')
    .split(/(?:^|\s)(?:npm run bursar --|bursar)(?=\s+(?:--[a-z]|[a-zA-Z]))/)
    .slice(1)
    .map((text) => {
      const words = text.replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT').split(/\s+/)
      const bare = words
        .map((word) => word.replaceAll(/^\[|\]$|[,;:.]$/g, ''))
        .filter((word) => !/^[|\\…]?$/.test(word))
      const end = bare.findIndex((word) => /^[<>]/.test(word))
      return end === -1 ? bare : bare.slice(0, end)
    })
    .filter((words) => words.length > 0)

const FRAME = ['--help', '-h', '--json', '--yes']
const isGroup = (word: string): boolean => commands.some(({ name }) => name.startsWith(`${word} `))

/** Returns the error of a command line; undefined without one. Documents may leave out arguments. */
const wrongWith = (words: readonly string[]): string | undefined => {
  if (words[0] === '--version' || words[0] === 'COMMAND' || words[0] === 'GROUP') return undefined
  if (words[0] === 'help') return words.length === 1 ? undefined : wrongWith(words.slice(1))
  const named = words.filter((word) => !FRAME.includes(word))
  const [found] = commands
    .filter(({ name }) => `${named.join(' ')} `.startsWith(`${name} `))
    .toSorted((a, b) => b.name.length - a.name.length)
  if (found === undefined)
    return named.length === 1 && isGroup(named[0]!) ? undefined : `no command "${words.join(' ')}"`
  return wrongArguments(found, named.slice(found.name.split(' ').length))
}

const wrongArguments = ({ name, args, options }: Command, words: readonly string[]): string | undefined => {
  let count = 0
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (!word.startsWith('--')) {
      count += 1
      continue
    }
    const option = Object.hasOwn(options, word.slice(2)) ? options[word.slice(2)] : undefined
    if (option === undefined) return `${name} has no option ${word}`
    if (option.type === 'string') at += 1
  }
  const takesRest = args.some((argument) => placeOf(argument).takesRest)
  return takesRest || count <= args.length ? undefined : `${name} takes ${args.length} arguments, not ${count}`
}

test('command lines of documents are read correctly', () => {
  const of = (code: string): (string | undefined)[] => commandLines(code).map(wrongWith)
  expect(of('bursar costs --merchant ID|platform --json')).toEqual([undefined])
  expect(of('bursar adjust text ID | bursar adjust sign --key FILE')).toEqual([undefined, undefined])
  expect(of('npm run bursar -- claims refuse CLAIM_ID [NOTE...]   # mails it')).toEqual([undefined])
  expect(of('bursar nosuch')).toEqual(['no command "nosuch"'])
  expect(of('bursar doctor --all')).toEqual(['doctor has no option --all'])
  expect(of('bursar unfreeze ID | bursar audit restore A B')).toEqual([
    undefined,
    'audit restore takes 1 arguments, not 2',
  ])
  expect(of('bursar database roles > roles.sql')).toEqual([undefined])
})

/** The words after the name of a command in a text of the program, up to the next sentence. `X` is a value. */
const WORDS = /\bbursar ((?:(?:\$\{[^}]*\}|[a-z][a-z-]*|--[a-z-]+|[A-Z][A-Z_]*|\[[^\]]*\]|\d+)(?:\.\.\.)? ?)+)/g

/** Returns the arguments of the command that a text leaves out, if it has some of them. */
const leftOut = (text: string): string | undefined => {
  const words = text
    .replaceAll(/\$\{[^}]*\}/g, 'X')
    .trim()
    .split(' ')
  const [found] = commands
    .filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
    .toSorted((a, b) => b.name.length - a.name.length)
  if (found === undefined) return undefined
  const given = words.slice(found.name.split(' ').length).filter((word) => /^[A-Z\d]/.test(word))
  const setting = words.slice(found.name.split(' ').length).filter((word) => /^[a-z]+[A-Z]/.test(word))
  const needed = found.args.filter((argument) => !argument.startsWith('['))
  const count = given.length + setting.length
  return count === 0 || count >= needed.length ? undefined : `bursar ${text.trim()}: ${needed.join(' ')}`
}

describe('commands are written as they are typed', () => {
  test('in documents', () => {
    let count = 0
    const wrong = documents.flatMap(codeOf).flatMap(({ at, code }) =>
      commandLines(code).flatMap((words) => {
        count += 1
        const why = wrongWith(words)
        return why === undefined ? [] : [`${at}: ${why}`]
      }),
    )
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(150)
  })

  test('in alerts, errors and outputs', () => {
    /** Names of other things that begin with the same word. */
    const OTHERS = /^(adjustment|approval|intent|claim|payout|sandbox|worker|watcher|cli)\b/
    const sources = globSync('server/src/**/*.ts', { cwd: root }).filter((path) => !/\.test\.ts$|\/test-/.test(path))
    let count = 0
    const wrong = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/\bbursar ([a-z][a-z-]+(?: [a-z][a-z-]+)?)/g)].flatMap(
        ([, words]) => {
          if (OTHERS.test(words!)) return []
          count += 1
          const [first, second] = words!.split(' ')
          const isThere =
            first === 'help' ||
            commands.some(({ name }) => name === first || name === `${first} ${second}`) ||
            (second === undefined && isGroup(first!))
          return isThere ? [] : [`${path}: bursar ${words}`]
        },
      ),
    )
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(50)
  })

  test('in alerts, errors and outputs, with every argument if there is one', () => {
    const sources = globSync('server/src/**/*.ts', { cwd: root }).filter((path) => !/\.test\.ts$|\/test-/.test(path))
    const wrong = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(WORDS)].flatMap(([, text]) => {
        const why = leftOut(text!)
        return why === undefined ? [] : [`${path}: ${why}`]
      }),
    )
    expect(wrong).toEqual([])
  })
})

test('the page of each alert names it', () => {
  const kinds = [
    ...Object.keys(ALERT_KINDS).filter((kind) => !kind.endsWith('*')),
    ...Object.keys(REFUSALS).map((code) => `signer-${code}`),
  ]
  const silent = kinds.filter((kind) => {
    const page = alertRowOf(kind)!.page
    return page !== null && !readFileSync(join(root, 'docs/operating', page), 'utf8').includes(`\`${kind}\``)
  })
  expect(silent).toEqual([])
})
