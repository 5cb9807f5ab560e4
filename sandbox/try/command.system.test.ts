import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../process/port.ts'
import { readCommand, UsageError } from './command.ts'

const dir = mkdtempSync(join(tmpdir(), 'bursar-try-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Runs `npm run try -- WORDS` against the sandbox of a folder. */
const run = (words: readonly string[], folder: string): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const program = new URL('../try.ts', import.meta.url).pathname
    const env = { ...process.env, BURSAR_DIR: folder }
    execFile(process.execPath, [program, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

describe('words of the command line', () => {
  const read = (text: string) => readCommand(text.split(' '), ['crypto-pay'])

  test.each([
    ['deposit', { name: 'deposit', ticker: 'USDT', blockchain: 'ETHEREUM', amount: '25' }],
    ['deposit usdt tron 1.5', { name: 'deposit', ticker: 'USDT', blockchain: 'TRON', amount: '1.5' }],
    ['withdraw bnb bsc 1', { name: 'withdraw', ticker: 'BNB', blockchain: 'BINANCE_SMART_CHAIN', amount: '1' }],
    ['deposit btc', { name: 'deposit', ticker: 'BTC', blockchain: 'BITCOIN', amount: '25' }],
    ['deposit trx trx 1.123456', { name: 'deposit', ticker: 'TRX', blockchain: 'TRON', amount: '1.123456' }],
    [
      'held Usdt Bsc 3 MIXER',
      { name: 'held', ticker: 'USDT', blockchain: 'BINANCE_SMART_CHAIN', amount: '3', verdict: 'mixer' },
    ],
    ['page crypto-pay', { name: 'page', state: 'crypto-pay' }],
    ['invoice', { name: 'invoice' }],
    ['chaos --kills 5 --seed s', { name: 'chaos', minutes: undefined, kills: 5, seed: 's' }],
    ['demo', { name: 'demo', days: 90 }],
    ['demo --days 7', { name: 'demo', days: 7 }],
    ['chaos --minutes 10 --seed 7', { name: 'chaos', minutes: 10, kills: undefined, seed: '7' }],
    ['chaos --seed 7', { name: 'chaos', minutes: 2, kills: undefined, seed: '7' }],
    ['invoice --help', undefined],
    ['-h', undefined],
  ])('"%s" is read, in lower case too', (text, command) => expect(read(text)).toEqual(command))

  test.each([
    ['depsit', 'no command "depsit"'],
    ['toString', 'no command "toString"'],
    ['deposit USDT ETHEREUM -5', '"-5" is no amount: type a number above 0'],
    ['deposit doge', '"doge" is no asset of the sandbox: type BTC, ETH, BNB, TRX, USDT or USDC'],
    ['deposit toString', '"toString" is no asset of the sandbox'],
    [
      'deposit usdt polygon 5',
      '"polygon" is no network of the sandbox: type BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN or TRON',
    ],
    ['withdraw usdt btc 5', 'USDT is not on BITCOIN: type ETHEREUM, BINANCE_SMART_CHAIN or TRON'],
    ['deposit eth tron 5', 'ETH is not on TRON: type ETHEREUM'],
    ['deposit USDT ETHEREUM 1.1234567', '1.1234567 is too fine: USDT on ETHEREUM has 6 decimal places'],
    ['deposit USDT ETHEREUM .5', '".5" is no amount'],
    ['deposit USDT ETHEREUM ten', '"ten" is no amount'],
    [`deposit USDT ETHEREUM ${'9'.repeat(31)}`, 'is no amount'],
    ['deposit USDT ETHEREUM 1,5', '"1,5" is no amount'],
    ['deposit USDT ETHEREUM 0.00', '"0.00" is no amount'],
    ['deposit USDT ETHEREUM 1e3', '"1e3" is no amount'],
    ['deposit USDT ETHEREUM 5 6', '"6" is one word too many'],
    ['balances USDT', '"USDT" is one word too many'],
    ['page', 'name a state of the page: crypto-pay'],
    ['page nonsense', '"nonsense" is not a state of the page: crypto-pay'],
    ['held USDT ETHEREUM 5 nice', '"nice" is not a verdict: clean, mixer, sanctioned'],
    ['invoice --fast', "'--fast'"],
    ['chaos 5', '"5" is one word too many'],
    ['chaos --kills', "'--kills <value>' argument missing"],
    ['chaos --kills 0', '--kills 0: type a whole number from 1 to 10000'],
    ['chaos --minutes soon', '--minutes soon: type a whole number'],
    ['chaos --kills 5 --minutes 1', "--minutes and --kills can't be used together"],
    ['deposit --seed 1', '--seed goes with chaos only'],
    ['chaos --days 5', '--days goes with demo only'],
    ['demo --seed 5', '--seed goes with chaos only'],
    ['demo --days 0', '--days 0: type a whole number from 1 to 400'],
    ['demo 5', '"5" is one word too many'],
  ])('"%s" is refused with %s', (text, message) => {
    expect(() => read(text)).toThrow(UsageError)
    expect(() => read(text)).toThrow(message)
  })
})

describe('without a running sandbox', () => {
  test('a sandbox that was never started is one line that says how to start it', async () => {
    const { code, stderr } = await run(['balances'], join(dir, 'nowhere'))
    expect(code).toBe(1)
    expect(stderr).toMatch(/^the sandbox is not running: start it with `npm start` in another terminal.*\n$/)
  })

  test('a sandbox that was ended is one line that says how to start it', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`
    const merchants = [{ id: crypto.randomUUID(), privateKey: '11'.repeat(32) }]
    writeFileSync(join(dir, 'sandbox.json'), JSON.stringify({ api: dead, control: dead, inbox: dead, merchants }))
    for (const words of [
      ['balances'],
      ['deposit'],
      ['withdraw'],
      ['invoice'],
      ['page', 'crypto-pay'],
      ['chaos'],
      ['demo'],
    ]) {
      const { code, stderr } = await run(words, dir)
      expect(stderr).toMatch(/^the sandbox is not running: [^\n]*\n$/)
      expect(code).toBe(1)
    }
  })

  test.skipIf(process.getuid?.() === 0)("another user's sandbox is one line that says so", async () => {
    chmodSync(join(dir, 'sandbox.json'), 0)
    const { code, stderr } = await run(['balances'], dir)
    expect(stderr).toMatch(/^another user started the sandbox: [^\n]*\n$/)
    expect(code).toBe(1)
  })

  test('a wrong command line ends with 2, and help with 0', async () => {
    expect(await run(['depsit'], dir)).toMatchObject({ code: 2 })
    const { code, stdout } = await run([], dir)
    expect(code).toBe(0)
    expect(stdout).toContain('npm run try -- COMMAND')
  })
})
