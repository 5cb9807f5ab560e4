import { dangerSignalKeys } from '@bursar/contract'
import type { Language } from '../../platform/base/language.ts'
import { Paper, SOFT } from './paper.ts'
import { SCREENING_TEXTS, type ScreeningTexts } from './screening-texts.ts'
import type { ScreeningReport } from './screening.ts'
import { showNetwork, showText, showTime } from './showing.ts'
import { wordsOfSignal } from './signal-words.ts'

const NAME_WIDTH = 150
const PERCENT_WIDTH = 60
const NOTE_WIDTH = 110
/** Maximum number of listed addresses: a transaction may have hundreds of senders. */
const MOST_ADDRESSES = 20
const FACT = { size: 10 }
const FACT_NAME = { size: 10, color: SOFT }
const DANGEROUS: ReadonlySet<string> = new Set(dangerSignalKeys)

/** A screening report as PDF: the same bytes for the same report and language. */
export const screeningPdf = (report: ScreeningReport, language: Language): Promise<Buffer> => {
  const t = SCREENING_TEXTS[language]
  const paper = new Paper({ language, title: `${t.title} ${report.id}`, author: 'Bursar', at: report.madeAt })
  paper.write(t.title, { size: 26, font: 'bold' }, 18, 'H1')
  paper.write(`${t.score}: ${report.riskScore}`, FACT_NAME)
  paper.write(report.risky ? t.risky : t.clean, { size: 22, font: 'bold' }, 14)
  paper.rule()
  for (const [name, value] of factsOf(report, t)) {
    paper.row([
      { text: name, width: NAME_WIDTH, style: FACT_NAME, names: 'Row' },
      { text: showText(value, 2_000), width: paper.width - NAME_WIDTH, style: FACT },
    ])
  }
  if (report.flags.length > 0) writeFlags(paper, report.flags, t)
  writeSignals(paper, report.signals, language)
  return paper.end((sheet, of) => ({ left: t.foot, right: `${sheet} / ${of}` }))
}

const factsOf = (
  { about, id, network, asset, transaction, own, others, providers, madeAt }: ScreeningReport,
  t: ScreeningTexts,
): [string, string][] => [
  [about === 'deposit' ? t.deposit : t.withdrawal, id],
  [t.network, showNetwork(network)],
  [t.asset, asset],
  ...(transaction === null ? [] : [[t.transaction, transaction] as [string, string]]),
  ...(own === null ? [] : [[t.own, own] as [string, string]]),
  [about === 'deposit' ? t.senders : t.destination, addressesOf(others) || t.unknown],
  [t.providers, providers.join(', ') || t.noProviders],
  [t.madeAt, showTime(madeAt)],
]

const addressesOf = (others: readonly string[]): string => {
  const more = others.length - MOST_ADDRESSES
  return `${others.slice(0, MOST_ADDRESSES).join(', ')}${more > 0 ? ` (+${more})` : ''}`
}

const writeFlags = (paper: Paper, flags: readonly string[], t: ScreeningTexts): void => {
  paper.gap(22)
  paper.write(t.reasons, { size: 14, font: 'bold' }, 6, 'H2')
  for (const flag of flags) paper.row([{ text: showText(flag, 500), width: paper.width, style: FACT }])
}

/** Writes the signals above 0, largest first. */
const writeSignals = (paper: Paper, signals: Readonly<Record<string, number>>, language: Language): void => {
  const t = SCREENING_TEXTS[language]
  const seen = Object.entries(signals)
    .filter(([, percent]) => percent > 0)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  paper.gap(22)
  paper.write(t.signals, { size: 14, font: 'bold' }, 6, 'H2')
  if (seen.length === 0) paper.write(t.none, FACT)
  for (const [name, percent] of seen) {
    paper.row([
      {
        text: wordsOfSignal(name, language),
        width: paper.width - PERCENT_WIDTH - NOTE_WIDTH,
        style: FACT,
        names: 'Row',
      },
      { text: DANGEROUS.has(name) ? t.danger : '', width: NOTE_WIDTH, style: FACT_NAME },
      { text: `${percent} %`, width: PERCENT_WIDTH, style: FACT, align: 'right' },
    ])
  }
}
