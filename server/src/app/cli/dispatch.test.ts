/** The common behaviour of all commands: arguments, help, confirmation and refusals. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { command, flag, text, texts, type Command } from './command.ts'
import { placeOf, readCommandLine, usageOf } from './command-line.ts'
import { dispatch, type Ask } from './dispatch.ts'
import { helpOf } from './help.ts'
import { commands } from './index.ts'
import { LOOKING } from './recording.ts'
import { contentsOf } from './test-contents.ts'
import { captured } from './test-output.ts'

const { db, env, folder } = useInstallation()

const type = (
  words: readonly string[],
  { of = commands, ask = null }: { of?: readonly Command[]; ask?: Ask | null } = {},
) => captured(() => dispatch([{ title: 'All', commands: of }], words, env, ask))

const sampleOf = (argument: string): string => {
  if (argument === 'NETWORK' || argument === 'BLOCKCHAIN') return 'ETHEREUM'
  return argument.endsWith('_ID') ? randomUUID() : `${argument.toLowerCase()}-1`
}

/**
 * The command's line as an operator would type it, with an argument in each place, and each option with a value that it
 * needs.
 */
const line = ({ name, args, options }: Command): string[] => [
  ...name.split(' '),
  ...args.map((argument) => sampleOf(placeOf(argument).name)),
  ...Object.entries(options).flatMap(([option, { isNeeded, shown }]) =>
    isNeeded === true ? [`--${option}`, String(shown)] : [],
  ),
]

/** Commands that do not ask, and the command that reverses each. */
const UNDONE_BY: Readonly<Record<string, string>> = {
  'merchant create': 'merchant disable',
  'merchant set': 'merchant set, with the value of before, which the audit of the merchant has',
  'merchant invite': 'merchant remove-member',
  'merchant remove-member': 'merchant invite',
  'merchant add-key': 'merchant revoke-key',
  'merchant add-webhook': 'merchant remove-webhook',
  'merchant end': 'merchant reopen',
  'merchant reopen': 'merchant end',
  'merchant finish': 'merchant reopen',
  'merchant disable': 'merchant enable',
  'merchant enable': 'merchant disable',
  freeze: 'unfreeze',
  unfreeze: 'freeze',
  'hedging stop': 'hedging start',
  'hedging start': 'hedging stop',
  'position fund': 'position fund, with a minus',
  'position limit': 'position limit',
  'hedging book': 'hedging book, with a minus',
  'acquirer fund': 'acquirer fund, with a minus',
  'acquirer banked': 'acquirer banked, with a minus',
  'person enrol': 'person remove',
  'screening import': 'screening import --force, of the list of before',
  'tron withdraw': 'tron stake',
}

/** Commands that do not ask because they take nothing from a merchant and may be repeated. */
const HARMLESS: Readonly<Record<string, string>> = {
  backup: 'makes files; removes backups that are older than the operator says',
  'backup drill': 'makes files, and removes them',
  'data-key reseal': 'each value stays readable by the keys in the file',
  'address watch': 'what comes to more addresses is noticed',
  'restored replay': 'attaches payments that were signed, after the comparison of `withdrawal attach`; pays nothing',
  rescan: 'blocks that were read are read again',
  reconcile: 'stores what was compared',
  reserves: 'stores a report',
  'merchant export': 'writes a file',
  adjust: 'a proposal moves nothing until a second person signs it',
  'screening note': 'adds a note',
  'alerts end': 'only of alerts that say what has happened; it stays in the table, with the note',
  'events replay': 'a notification may come twice at any time: receivers know it by its id',
  'events wake': 'what is due later is due now',
}

const membersOf = ({ name }: Command): Command[] => commands.filter((one) => one.name.startsWith(`${name} `))

describe('every command of bursar', () => {
  test('audit P-1: --help shows its arguments and changes nothing', async () => {
    const before = await contentsOf(db)
    for (const one of commands) {
      for (const words of [
        [...line(one), '--help'],
        [...line(one), '-h'],
        [...one.name.split(' '), '--help'],
        ['help', ...one.name.split(' ')],
      ]) {
        const { code, out, err } = await type(words)
        expect.soft({ words, code, err }).toEqual({ words, code: 0, err: '' })
        expect.soft(out).toBe(`${helpOf(one, membersOf(one))}\n`)
      }
    }
    expect(await contentsOf(db)).toEqual(before)
    expect(readdirSync(folder).toSorted()).toEqual(['assets.json', 'key', 'xpubs.json'])
  })

  test('audit P-1: an unknown option is refused and changes nothing', async () => {
    const before = await contentsOf(db)
    for (const one of commands) {
      for (const option of ['--nosuch', '--jsn', '-x']) {
        const { code, err } = await type([...line(one), option, ...(one.irreversible === null ? [] : ['--yes'])])
        expect.soft({ name: one.name, code }).toEqual({ name: one.name, code: 2 })
        expect.soft(err).toContain(`usage: bursar ${usageOf(one)}`)
      }
    }
    expect(await contentsOf(db)).toEqual(before)
  })

  test('audit P-1: a word too many is refused, unless the command takes a text', async () => {
    const before = await contentsOf(db)
    for (const one of commands.filter(({ args }) => !args.some((argument) => placeOf(argument).takesRest))) {
      const { code, err } = await type(
        [...line(one), 'nosuch', '--yes'].filter((word) => word !== '--yes' || one.irreversible !== null),
      )
      expect.soft({ name: one.name, code }).toEqual({ name: one.name, code: 2 })
      expect.soft(err).toContain('there are too many arguments, "nosuch"')
    }
    expect(await contentsOf(db)).toEqual(before)
  })

  test('audit P-1: a word too few is refused, and says which', async () => {
    const before = await contentsOf(db)
    for (const one of commands.filter(({ args }) => args.some((argument) => placeOf(argument).isNeeded))) {
      const [first] = one.args.filter((argument) => placeOf(argument).isNeeded)
      const words = [...one.name.split(' '), ...(one.irreversible === null ? [] : ['--yes'])]
      const { code, err } = await type(words)
      expect.soft({ name: one.name, code }).toEqual({ name: one.name, code: 2 })
      expect.soft(err).toContain(`${placeOf(first!).name} is missing`)
    }
    expect(await contentsOf(db)).toEqual(before)
  })

  test('audit P-1: an irreversible command does nothing without confirmation', async () => {
    const before = await contentsOf(db)
    const asked: string[] = []
    const no: Ask = async (question) => {
      asked.push(question)
      return 'no'
    }
    const final = commands.filter(({ irreversible }) => irreversible !== null)
    for (const one of final) {
      expect.soft(await type(line(one))).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
      expect.soft(await type(line(one), { ask: no })).toMatchObject({ code: 1, err: 'bursar: nothing was done\n' })
    }
    expect(asked).toHaveLength(final.length)
    expect(await contentsOf(db)).toEqual(before)
  })

  test('takes --json, but for a process', () => {
    for (const one of commands.filter(({ isProcess }) => !isProcess))
      expect.soft(readCommandLine(one, [...line(one).slice(one.name.split(' ').length), '--json']).asJson).toBe(true)
    expect(commands.filter(({ isProcess }) => isProcess).map(({ name }) => name)).toEqual(['serve', 'backup wal'])
  })

  test('that changes something says how it is undone, asks first, or does harm to nothing', () => {
    const changing = commands.filter(({ name }) => !LOOKING.has(name) && !['migrate', 'setup'].includes(name))
    const asking = changing.filter(({ irreversible }) => irreversible !== null).map(({ name }) => name)
    expect(asking.filter((name) => name in UNDONE_BY || name in HARMLESS)).toEqual([])
    expect([...asking, ...Object.keys(UNDONE_BY), ...Object.keys(HARMLESS)].toSorted()).toEqual(
      changing.map(({ name }) => name).toSorted(),
    )
    // Those that only look never ask.
    expect(commands.filter(({ name, irreversible }) => LOOKING.has(name) && irreversible !== null)).toEqual([])
  })

  test('has a name of its own, a summary and arguments in an order that can be read', () => {
    expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length)
    for (const { name, summary, args, options } of commands) {
      expect.soft(summary, name).toMatch(/^[a-z]/)
      const places = args.map(placeOf)
      expect
        .soft(
          places.map(({ isNeeded }) => !isNeeded),
          name,
        )
        .toEqual(places.map(({ isNeeded }) => !isNeeded).toSorted())
      expect
        .soft(
          places.slice(0, -1).some(({ takesRest }) => takesRest),
          name,
        )
        .toBe(false)
      for (const reserved of ['help', 'yes']) expect.soft(options, name).not.toHaveProperty(reserved)
    }
  })
})

describe('a command line', () => {
  const done: unknown[] = []
  const sample = command({
    name: 'sample take',
    summary: 'take it',
    args: ['ID', 'AMOUNT', '[NOTE...]'],
    options: { dry: flag('do nothing'), to: text('PLACE', 'where'), tag: texts('TAG', 'what it is') },
    run: async (given) => void done.push(given),
  })
  const other = command({ name: 'sample', summary: 'show it', run: async () => void done.push('shown') })
  const final = command({
    name: 'end',
    summary: 'end it',
    irreversible: 'It ends.',
    run: async () => void done.push('ended'),
  })
  const of = [other, sample, final]

  test('gives arguments by name, the rest as one text, and options wherever they stand', () => {
    const { args, options } = readCommandLine(sample, [
      '--tag',
      'a',
      'one',
      '--dry',
      '-12.5',
      'for',
      '--tag=b',
      'nothing',
      '--to',
      '-3',
    ])
    expect(args).toEqual({ ID: 'one', AMOUNT: '-12.5', NOTE: 'for nothing' })
    expect(options).toEqual({ dry: true, to: '-3', tag: ['a', 'b'] })
    expect(readCommandLine(sample, ['a', '1', '--', '--dry', '--help'])).toMatchObject({
      args: { NOTE: '--dry --help' },
      options: { dry: false, to: undefined, tag: [] },
    })
  })

  test.each<[string, string[]]>([
    ['AMOUNT is missing', ['a']],
    ['AMOUNT is missing', ['a', '']],
    ['no option --drx; did you mean --dry?', ['a', '1', '--drx']],
    ['no option -x', ['a', '1', '-x']],
    ['--to is given twice', ['a', '1', '--to', 'x', '--to', 'y']],
    ["'--to <value>'", ['a', '1', '--to']],
    ['no option --yes', ['a', '1', '--yes']],
  ])('is refused: %s', (message, words) => {
    expect(() => readCommandLine(sample, words)).toThrow(message)
  })

  test('runs the command of the longest name', async () => {
    done.length = 0
    expect(await type(['sample'], { of })).toMatchObject({ code: 0 })
    expect(await type(['sample', 'take', 'a', '1'], { of })).toMatchObject({ code: 0 })
    expect(done).toEqual([
      'shown',
      { args: { ID: 'a', AMOUNT: '1', NOTE: undefined }, options: { dry: false, to: undefined, tag: [] } },
    ])
    expect(await type(['sample', 'tale'], { of })).toMatchObject({ code: 2, err: expect.stringContaining('"tale"') })
  })

  test('asks once, and goes on after a yes', async () => {
    done.length = 0
    expect(
      await type(['end'], {
        of,
        ask: async (question) => (question.startsWith("It ends. This can't be undone.") ? 'Yes' : ''),
      }),
    ).toMatchObject({ code: 0 })
    expect(await type(['end', '--yes'], { of })).toMatchObject({ code: 0 })
    expect(done).toEqual(['ended', 'ended'])
  })

  test('that names no command lists those there are', async () => {
    expect(await type([], { of })).toMatchObject({ code: 0, out: expect.stringMatching(/sample take +take it/) })
    for (const words of [['--help'], ['help'], ['-h']])
      expect(await type(words)).toMatchObject({ code: 0, out: expect.stringContaining('reconcile'), err: '' })
    expect(await type(['nosuch', 'thing'], { of })).toMatchObject({
      code: 2,
      out: '',
      err: 'bursar: there is no command "nosuch thing"\n"bursar help" lists the commands.\n',
    })
  })

  test('that names a group lists its commands', async () => {
    for (const words of [
      ['help', 'merchant'],
      ['merchant', '--help'],
      ['merchant', '-h'],
    ]) {
      const { code, out, err } = await type(words)
      expect({ words, code, err }).toEqual({ words, code: 0, err: '' })
      expect(out).toContain('merchant rotate-key')
      expect(out).not.toContain('reconcile')
    }
    expect(await type(['merchant'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('merchant rotate-key'),
    })
    expect((await type(['position', '--help'])).out).toMatch(/usage: bursar position [^]*position limit/)
  })

  test.each([
    [['merchnt', 'list'], 'merchant list'],
    [['merchant', 'lst'], 'merchant list'],
    [['reconcil'], 'reconcile'],
    [['merchnt'], 'merchant'],
    [['help', 'treasry'], 'treasury'],
    [['position', 'lmit', 'BTC', '1', '1'], 'position limit'],
    [['MERCHANT', 'LIST'], 'merchant list'],
  ])('%j is answered with the command that was meant', async (words, meant) => {
    expect(await type(words)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`\nDid you mean "bursar ${meant}"?\n`),
    })
  })

  test('--version names the version', async () => {
    expect(await type(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^bursar \d+\.\d+\.\d+\n$/),
    })
  })

  test('--json prints one object and no other text; a failure prints none', async () => {
    const shows = command({
      name: 'show',
      summary: 'show it',
      args: ['[FAILS]'],
      run: async ({ args: { FAILS: fails } }, _env, out) => {
        out.say('seen')
        if (fails !== undefined) throw new Error('it fails')
        out.list('things', [{ id: 'a' }])
      },
    })
    const { code, out, err } = await type(['signer', 'log', '--json'], { of: [{ ...shows, name: 'signer log' }] })
    expect({ code, err, shown: JSON.parse(out) as unknown }).toEqual({
      code: 0,
      err: '',
      shown: { things: [{ id: 'a' }], messages: ['seen'] },
    })
    expect(await type(['signer', 'log', 'x', '--json'], { of: [{ ...shows, name: 'signer log' }] })).toEqual({
      code: 1,
      out: '',
      err: 'bursar: it fails\n',
      text: 'bursar: it fails\n',
    })
  })

  test('help is no wider than the terminal', () => {
    for (const one of commands)
      for (const row of helpOf(one, membersOf(one), 80).split('\n'))
        expect.soft(row.length, `${one.name}: ${row}`).toBeLessThanOrEqual(80)
  })
})
