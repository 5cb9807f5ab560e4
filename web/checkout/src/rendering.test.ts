import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { accentOf, contrastOf, GROUNDS } from './accent.ts'
import { amountText, clockText } from './amounts.ts'
import { escapeText, html } from './html.ts'
import { languageOf } from './languages.ts'
import { LANGUAGES, renderPage, renderProblem } from './index.ts'
import { VIEWS } from '../../../test/world/page-views.ts'
import { WORDS } from './words/index.ts'

describe('markup', () => {
  test('holds no sign of a text that means something', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const made = html`<p title="${text}">${text}</p>`.text
        const inner = made.slice('<p title="'.length, -'</p>'.length)
        expect(inner.replace('">', '')).not.toMatch(/[<>"'`]/)
        expect(escapeText(text).replaceAll(/&(amp|lt|gt|quot|#39|#96);/g, '')).not.toMatch(/[&<>"'`]/)
      }),
    )
  })
  test('leaves out undefined, null and false, and keeps a zero', () => {
    expect(html`${undefined}${false}${0}${['a', html`<b>b</b>`]}`.text).toBe('0a<b>b</b>')
  })
})

describe('the accent', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`)
  test.each(['light', 'dark'] as const)('for every colour of a merchant, %s has enough contrast', (theme) => {
    fc.assert(
      fc.property(colour, (wanted) => {
        const { surface, on, line } = accentOf(wanted, theme)
        expect(contrastOf(surface, on)).toBeGreaterThanOrEqual(4.5)
        for (const below of Object.values(GROUNDS[theme])) {
          expect(contrastOf(surface, below)).toBeGreaterThanOrEqual(3)
          expect(contrastOf(line, below)).toBeGreaterThanOrEqual(4.5)
        }
      }),
      { numRuns: cases(2_000) },
    )
  })
  test("is the merchant's colour where its contrast is enough, and ours for an invalid colour", () => {
    expect(accentOf('#c2410c', 'light')).toEqual({ surface: '#c2410c', on: '#ffffff', line: '#c2410c' })
    expect(accentOf('red;} body{', 'light')).toEqual(accentOf(undefined, 'light'))
  })
})

describe('the language', () => {
  test.each([
    [undefined, 'kk-KZ,kk;q=0.9,ru;q=0.8', 'kk'],
    ['uk', 'kk', 'uk'],
    ['de', 'ru', 'ru'],
    [undefined, 'de, en;q=0.1, ru;q=0.5', 'ru'],
    [undefined, 'uk;q=0, en', 'en'],
    [undefined, undefined, 'en'],
    [undefined, '*', 'en'],
    [undefined, ';;q=,,uk;q=1.5', 'en'],
    [undefined, 'UK-ua', 'uk'],
  ] as const)('chosen %s, accepted %s: %s', (chosen, accepted, language) => {
    expect(languageOf(chosen, accepted)).toBe(language)
  })
  test('is one of ours for any header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(LANGUAGES).toContain(languageOf(text, text))
      }),
    )
  })
})

describe('amounts', () => {
  test('are exact, and a currency is written as its language does', () => {
    expect(amountText({ value: '0.123456789012345678', ticker: 'ETH' }, 'uk')).toBe('0.123456789012345678\u00a0ETH')
    expect(amountText({ value: '1234567.5', ticker: 'UAH' }, 'uk')).toBe('1\u00a0234\u00a0567,50\u00a0₴')
    expect(amountText({ value: '45000', ticker: 'KZT' }, 'kk')).toMatch(/^45\s000\s₸$/)
    expect(amountText({ value: '12345678901234567890.12', ticker: 'USD' }, 'en')).toBe('$12,345,678,901,234,567,890.12')
  })
  test("audit C-6: that are fixed are shown where only the currency is the payer's to choose", () => {
    const page = renderPage(VIEWS['fiat-choose-currency-only']!, 'en').html
    expect(page).toContain(
      `${amountText({ value: '15000', ticker: 'UAH' }, 'en')} / ${amountText({ value: '15000', ticker: 'KZT' }, 'en')}`,
    )
    expect(page).not.toContain('You choose the amount')
    expect(renderPage(VIEWS['fiat-choose-currency']!, 'en').html).toContain('You choose the amount')
  })
  test('of time count hours without end', () => {
    expect([clockText(0), clockText(-5), clockText(59_999), clockText(172_800_000)]).toEqual([
      '00:00:00',
      '00:00:00',
      '00:00:59',
      '48:00:00',
    ])
  })
})

describe('every page', () => {
  test('carries the hashes of its own style and script, and nothing unsafe', () => {
    for (const view of Object.values(VIEWS)) {
      const { html: text, headers } = renderPage(view, 'uk')
      const hashOf = (tag: string): string =>
        `'sha256-${createHash('sha256')
          .update(new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text)![1]!)
          .digest('base64')}'`
      expect(headers['content-security-policy']).toContain(`style-src ${hashOf('style')};`)
      expect(headers['content-security-policy']).toContain(`script-src ${hashOf('script')};`)
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|http:/)
      expect(text).not.toMatch(/\sstyle="|\son\w+="|<script [^>]|<link rel="stylesheet/)
    }
  })
  test('of a refunded payment says so, does not thank the payer, and has no link to the shop', () => {
    const whole = renderPage(VIEWS['fiat-refunded']!, 'en').html
    expect(whole).toContain('<h1 id="title">Refunded</h1>')
    expect(whole).toMatch(/45,000 was returned to the card/)
    expect(whole).not.toContain('data-return="')
    expect(whole).not.toContain('Thank you')
    const { state, ...view } = VIEWS['fiat-refunded']!
    if (state.at !== 'paid') throw new Error('a paid view')
    const part = renderPage({ ...view, state: { ...state, givenBack: '100' } }, 'en').html
    expect(part).toContain('<h1 id="title">Paid</h1>')
    expect(part).toContain('Thank you')
    expect(part).toMatch(/100 was returned to the card/)
  })

  test('says everything in its language: no word of another is left', () => {
    for (const language of ['uk', 'kk', 'ru'] as const) {
      const own = Object.entries(WORDS[language])
      const same = own
        .filter(([key, word]) => typeof word === 'string' && word === (WORDS.en as Record<string, unknown>)[key])
        .map(([key]) => key)
      expect(same).toEqual([])
    }
    expect(Object.values(WORDS.uk).filter((word) => typeof word === 'string' && /[ыэъё]/.test(word))).toEqual([])
    expect(Object.values(WORDS.ru).filter((word) => typeof word === 'string' && /[іїєґәғқңөұүһ]/.test(word))).toEqual(
      [],
    )
  })
  test('of a problem names the fault of a request, and no detail of a failure', () => {
    expect(
      renderProblem({ status: 400, description: 'amount: <UAH 25 to 29999>', requestId: 'r-1' }, 'kk').html,
    ).toContain('amount: &lt;UAH 25 to 29999&gt;')
    expect(renderProblem({ status: 503, description: 'hunter2', requestId: 'r-1' }, 'ru').html).not.toContain('hunter2')
  })
})
