import { expect, test } from 'vitest'
import { readPdf } from '../../../../test/world/pdf.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { dangerSignalKeys, signalKeys } from '@bursar/contract'
import { screeningPdf } from './screening-pdf.ts'
import { SCREENING_TEXTS } from './screening-texts.ts'
import type { ScreeningReport } from './screening.ts'
import { wordsOfSignal } from './signal-words.ts'

const report: ScreeningReport = {
  id: '0199a000-0000-7000-8000-000000000001',
  about: 'deposit',
  network: 'TRON',
  asset: 'USDT',
  transaction: 'ab'.repeat(32),
  own: 'TOursOursOursOurs',
  others: ['TStranger1', 'TStranger2'],
  riskScore: 0.875,
  signals: { mixer: 51, exchange: 21, wallet: 0 },
  flags: ['TStranger1 is on the list OFAC SDN (BODY)'],
  risky: true,
  providers: ['local-lists', 'amlbot'],
  madeAt: Date.UTC(2026, 10, 21, 14, 5),
}

const textOf = async (bytes: Uint8Array): Promise<string> => without((await readPdf(bytes)).sheets.join(' '))
const without = (text: string): string => text.replaceAll(/[\s\u00a0]/g, '')

test.each(LANGUAGES)(
  'a screening report in %s says everything in that language, to be found and copied',
  async (language) => {
    const t = SCREENING_TEXTS[language]
    const text = await textOf(await screeningPdf(report, language))
    const wanted = [
      t.title,
      t.risky,
      `${t.score}: 0.875`,
      t.deposit,
      report.id,
      report.transaction!,
      'TOursOursOursOurs',
      'TStranger1, TStranger2',
      'local-lists, amlbot',
      '2026-11-21 14:05 UTC',
      t.reasons,
      report.flags[0]!,
      wordsOfSignal('mixer', language),
      '51 %',
      t.danger,
      wordsOfSignal('exchange', language),
      '21 %',
      t.foot,
    ]
    for (const one of wanted) expect(text).toContain(without(one))
    expect(text).not.toContain('(wallet)')
    expect(text).not.toContain('\ufffd')
  },
)

test('equal reports give equal bytes; an empty report says that no provider checked and nothing was reported', async () => {
  expect((await screeningPdf(report, 'en')).equals(await screeningPdf(report, 'en'))).toBe(true)
  const empty = {
    ...report,
    signals: {},
    flags: [],
    risky: false,
    riskScore: 0,
    providers: [],
    others: [],
    transaction: null,
  }
  const text = await textOf(await screeningPdf(empty, 'en'))
  for (const one of [
    SCREENING_TEXTS.en.clean,
    SCREENING_TEXTS.en.noProviders,
    SCREENING_TEXTS.en.none,
    SCREENING_TEXTS.en.unknown,
  ])
    expect(text).toContain(without(one))
})

test.each(LANGUAGES)('every signal has words of its own in %s, which the fonts can show', async (language) => {
  const words = signalKeys.map((key) => wordsOfSignal(key, language).replace(` (${key})`, ''))
  expect(new Set(words).size).toBe(signalKeys.length)
  const all = Object.fromEntries(signalKeys.map((key, i) => [key, i + 1]))
  const text = await textOf(await screeningPdf({ ...report, signals: all }, language))
  expect(text).not.toContain('\ufffd')
  for (const key of signalKeys) expect(text).toContain(without(wordsOfSignal(key, language)))
  expect(text.split(without(SCREENING_TEXTS[language].danger)).length - 1).toBe(dangerSignalKeys.length)
})

test('a signal that this build does not know keeps its name', () => {
  expect(wordsOfSignal('constructor', 'en')).toBe('constructor')
  expect(wordsOfSignal('a_signal_of_tomorrow', 'uk')).toBe('a_signal_of_tomorrow')
})

test('a thousand senders make no book', async () => {
  const text = await textOf(
    await screeningPdf({ ...report, others: Array.from({ length: 1_000 }, (_, i) => `TSender${i}`) }, 'en'),
  )
  expect([text.includes('TSender19'), text.includes('TSender20'), text.includes('(+980)')]).toEqual([true, false, true])
})
