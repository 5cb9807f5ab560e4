/** Nothing that is typed wrongly changes anything: every argument and option of every command, with rubbish in it. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { fill } from '../../../../test/setup/filling.ts'
import { useInstallation } from '../../../../test/world/installation.ts'
import { NOTIFIED_STATUS } from '../../../../test/world/listed.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Command } from './command.ts'
import { placeOf } from './command-line.ts'
import { commands, runCommand } from './index.ts'
import { LOOKING } from './recording.ts'
import { contentsOf } from './test-contents.ts'
import { captured } from './test-output.ts'

const { pool, db, folder, file, ...installation } = useInstallation({
  // Rows stand for withdrawals and deposits that no module has made.
  breaks: ['withdrawal-hold', 'deposit-notified'],
})
let env: Record<string, string>
let merchant: string
let withdrawal: string

const limits = { minDeposit: '0', minWithdrawal: '0' }
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1'

beforeAll(async () => {
  env = {
    ...installation.env,
    BURSAR_NETWORKS_FILE: file('networks.json', { ETHEREUM: { url: NOWHERE, chainId: 31_337 } }),
    BURSAR_ASSETS_FILE: file('assets.json', {
      crypto: [
        { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, ...limits } } },
        { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, ...limits } } },
      ],
      fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2 }],
    }),
    BURSAR_ACQUIRERS_FILE: file('acquirers.json', {
      accounts: [
        {
          name: 'bank',
          kind: 'bank',
          url: NOWHERE,
          account: 'bank',
          secretFile: file('secret', 'x'.repeat(40)),
          payIn: { UAH: { least: '25', most: '29999' } },
        },
      ],
    }),
    BURSAR_SIGNER: `unix:${join(folder, 'no-signer')}`,
  }
  const { out } = await type('merchant', 'create', '--name', 'Shop', '--url', 'https://shop.example', '--json')
  merchant = (JSON.parse(out) as { id: string }).id
  const of = { merchant_id: `'${merchant}'::uuid` }
  const onEthereum = { network: "'ETHEREUM'", asset: "'ETH'" }
  await inTransaction(db, async (tx) => {
    await fill(tx, 'deposits', 1, 3, {
      ...of,
      ...onEthereum,
      state: "'pending'",
      [NOTIFIED_STATUS]: "'Pending'",
      fee_units: '0',
    })
    await fill(tx, 'withdrawals', 1, 3, {
      ...of,
      ticker: "'ETH'",
      blockchain: "'ETHEREUM'",
      state: "'requested'",
      fee_units: '0',
    })
    await fill(tx, 'alerts', 1, 3)
    await fill(tx, 'freezes', 1, 3)
    await fill(tx, 'screenings', 1, 3, {
      ...of,
      kind: "'deposit'",
      state: "'risky'",
      subject: `'{"network":"ETHEREUM","asset":"ETH"}'`,
      report: `'{"riskScore":0.9,"flags":[],"signals":{}}'`,
    })
  })
  const { rows } = await pool.query<{ id: string }>('select id from withdrawals limit 1')
  withdrawal = rows[0]!.id
})

const type = (...words: string[]) => captured(() => runCommand(words, env, null))

const RUBBISH = ['../..', '🙂', 'x'.repeat(10_000), "'; drop table merchants; --", '-1', ' ']

/** A word that each argument takes, of an object that there is where a command would find it. */
const sampleOf = (argument: string): string => {
  switch (argument) {
    case 'NETWORK':
    case 'BLOCKCHAIN':
      return 'ETHEREUM'
    case 'MERCHANT_ID':
      return merchant
    case 'WITHDRAWAL_ID':
      return withdrawal
    case 'TICKER':
      return 'ETH'
    case 'ACQUIRER':
      return 'bank'
    case 'AMOUNT':
    case 'LONG':
    case 'SHORT':
    case 'FROM':
    case 'TO':
    case 'COUNT':
    case 'SEQUENCE':
    case 'VERSION':
    case 'HEIGHT':
      return '1'
    case 'EXPIRES':
      return '2026-12-31T12:00:00.000Z'
    case 'SETTING':
      return 'notificationsUrl'
    case 'VALUE':
      return 'https://shop.example/hook'
    default:
      return argument.endsWith('_ID') ? randomUUID() : `${argument.toLowerCase()}-1`
  }
}

/** Arguments that take a free text, or a name that the operator chooses: any text is right. */
const FREE = /^(REASON|NOTE|META|COMMAND|NAME|LOGIN|PERSON|APPROVER)$/
/** Files and folders are read or written where they are named. */
const PATHS = /^(FILE|FOLDER|DIRECTORY)$/
/** Where an amount below zero books the other way. */
const BOTH_WAYS = ['position fund', 'hedging book', 'acquirer fund', 'acquirer banked']

/** The line of a command with good words, but for one place. `place`: the name of an argument, or `--option`. */
const lineOf = ({ name, args, options, irreversible }: Command, place: string, word: string): string[] => [
  ...name.split(' '),
  ...args.map((argument) => {
    const { name: own } = placeOf(argument)
    return own === place ? word : sampleOf(own)
  }),
  ...Object.entries(options).flatMap(([option, { isNeeded, shown, type: kind }]) => {
    if (`--${option}` === place) return [`--${option}=${word}`]
    return isNeeded === true && kind === 'string' ? [`--${option}`, sampleOf(shown!)] : []
  }),
  ...(irreversible === null ? [] : ['--yes']),
]

/** The arguments and options of a command that a wrong word can stand in. */
const placesOf = ({ args, options }: Command): string[] => [
  ...args.map((argument) => placeOf(argument).name).filter((name) => !FREE.test(name) && !PATHS.test(name)),
  ...Object.entries(options)
    .filter(([, { type: kind, shown = '' }]) => kind === 'string' && !FREE.test(shown) && !PATHS.test(shown))
    .map(([option]) => `--${option}`),
]

const typed = commands.filter(({ name }) => name !== 'serve' && name !== 'doctor')

/** They need a file, standard input, root or a counterparty, or serve until a signal. */
const NOT_HERE = [
  'adjust sign',
  'backup wal',
  'person key',
  'reserves verify',
  'setup',
  'setup signer',
  'smoke',
  'doctor',
]

test('a command that changes nothing prints text, and one object with --json', async () => {
  let count = 0
  for (const one of commands.filter(({ name }) => LOOKING.has(name) && !NOT_HERE.includes(name) && name !== 'serve')) {
    const words = lineOf(one, '', '')
    const shown = await type(...words)
    const { out, code } = await type(...words, '--json')
    expect.soft(code, one.name).toBe(shown.code)
    expect.soft(shown.out, one.name).not.toMatch(/^\s*[[{]/m)
    if (out === '') continue
    count += 1
    expect.soft(JSON.parse(out), one.name).toEqual(expect.any(Object))
    expect.soft(out, one.name).toMatch(/^\{/)
    // Amounts are decimals of coins and currency units, never units of the ledger.
    expect.soft(out, one.name).not.toMatch(/"(\w+U|u)nits":/)
  }
  expect(count).toBeGreaterThan(20)
})

test('rubbish in any argument or option is refused in words, and changes nothing', async () => {
  const before = await contentsOf(db, ['operator_actions'])
  const files = readdirSync(folder)
  const accepted: string[] = []
  let count = 0
  for (const one of typed) {
    for (const place of placesOf(one)) {
      for (const word of RUBBISH) {
        if (word === '-1' && place === 'AMOUNT' && BOTH_WAYS.includes(one.name)) continue
        // An empty value takes a setting away.
        if (word === ' ' && (place === 'VALUE' || place === '--notifications')) continue
        const { code, text } = await type(...lineOf(one, place, word))
        const line = `${one.name}: ${place} = ${word.slice(0, 40)}`
        count += 1
        if (code === 0) accepted.push(line)
        expect.soft(text, line).not.toMatch(/^\s+at .*\(?.*:\d+:\d+\)?$/m)
        expect.soft(text, line).not.toMatch(/invalid input syntax|out of range|TypeError|Cannot read|undefined/)
      }
    }
  }
  expect(accepted).toEqual([])
  expect(count).toBeGreaterThan(500)
  expect(await contentsOf(db, ['operator_actions'])).toEqual(before)
  expect(readdirSync(folder)).toEqual(files)
}, 300_000)
