import { brotliCompressSync, constants } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { VIEWS } from '../../../test/world/page-views.ts'
import { inField, isUnclear, plusFee, pointed } from './amounts.ts'
import { LANGUAGES, renderPage, type PageView } from './index.ts'

/** All bytes of a page, compressed as the api does at worst. */
const MOST_BYTES = 12_000

const pageOf = (name: string, change: (view: PageView) => PageView = (view) => view): string =>
  renderPage(change(VIEWS[name]!), 'en').html

const withoutSupport = (view: PageView): PageView => ({
  ...view,
  seller: { ...view.seller, support: { url: undefined, email: undefined } },
})

describe('the link that opens a wallet', () => {
  test.each([
    ['crypto-pay-bitcoin', 'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.00028913', 'Open in wallet'],
    [
      'crypto-pay-ethereum',
      'ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=0x52908400098527886E0F7030069857D2E4169EE7&amp;uint256=120000000',
      'Open in wallet',
    ],
    [
      'crypto-pay',
      'trust://send?asset=c195_tTR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t&amp;address=TQjaZ9FD473QBTdUzMLmSyoGB6Yz1CGpux&amp;amount=24.09',
      'Open in Trust Wallet',
    ],
  ])('of %s comes before the amount and the address', (name, href, label) => {
    const page = pageOf(name)
    expect(page).toMatch(new RegExp(`<a class="button [^"]*" href="${href.replaceAll(/[?.]/g, '\\$&')}">${label}</a>`))
    expect(page.indexOf('class="wallet')).toBeLessThan(page.indexOf('Send exactly'))
  })
  test('of a token warns of wallets that misread it, and that of a coin does not', () => {
    const linkOf = (name: string): string => /<div class="wallet.*?<\/div>/s.exec(pageOf(name))![0]
    expect(linkOf('crypto-pay-ethereum')).toContain('Some wallets misread')
    expect(linkOf('crypto-pay-bitcoin')).not.toContain('misread')
  })
})

describe('an amount plus a fee', () => {
  test('is exact for any decimals', () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.stringMatching(/^\d{0,17}[1-9]$|^$/))
      .map(([whole, part]) => ({ text: part === '' ? String(whole) : `${whole}.${part}`, whole, part }))
    const e18 = ({ whole, part }: { whole: bigint; part: string }): bigint =>
      whole * 10n ** 18n + BigInt(part.padEnd(18, '0'))
    fc.assert(
      fc.property(decimal, decimal, (amount, fee) => {
        const [whole = '', part = ''] = plusFee(amount.text, inField(fee.text))!.split('.')
        expect(e18({ whole: BigInt(whole), part })).toBe(e18(amount) + e18(fee))
        expect(part).not.toMatch(/0$/)
      }),
      { numRuns: cases(200) },
    )
  })
  test.each([
    ['24.09', '1', '25.09'],
    ['24.09', ' 0,91 ', '25'],
    ['0.00028913', '0.0001', '0.00038913'],
    ['1', '2.', '3'],
  ])('%s plus %s is %s', (amount, fee, sum) => {
    expect(plusFee(amount, fee)).toBe(sum)
  })
  test.each(['', '-1', '1e3', '0x1', '1,2,3', '١', 'one', '1,500', '1.500', '1'.repeat(16)])(
    'is nothing for the fee %j',
    (fee) => {
      expect(plusFee('1', fee)).toBeUndefined()
    },
  )
})

describe('the payment step', () => {
  test('shows a payer at an exchange the amount to type there, and keeps the fee in its links', () => {
    const page = pageOf('crypto-pay-exchange')
    expect(page).toMatch(/<details id="exchange" open>/)
    expect(page).toMatch(/Type at the exchange<\/p><p class="exact">25.59\u00a0USDT</)
    expect(page).toContain('data-copy="25.59"')
    expect(page).toContain('?fee=1.5&amp;lang=uk"')
    expect(page).toContain('<input type="hidden" name="lang" value="en">')
    expect(page).not.toContain('type="hidden" name="fee"')
    expect(pageOf('crypto-pay')).toContain('<details id="exchange"><summary>Paying from an exchange?')
  })
  test('says what is wrong with a fee that is no amount, and shows no sum', () => {
    const page = pageOf('crypto-pay', (view) => ({ ...view, exchangeFee: '"><script>' }))
    expect(page).toContain('value="&quot;&gt;&lt;script&gt;" aria-invalid="true"')
    expect(page).toContain('<p class="wrong" id="fee-hint">Write the amount in digits')
    expect(page).not.toContain('Type at the exchange')
  })
  test('counts down to the nearest deadline only, and gives its time where no scripts run', () => {
    const page = pageOf('crypto-pay')
    expect(page.match(/data-left="\d+"/g)).toEqual(['data-left="870000"'])
    expect(page).toContain('<span>The rate holds for</span>')
    // Without a script, browsers that lack the CSS condition `scripting: none` hide the clock, too.
    expect(page).toContain('<span data-left="870000" hidden>00:14:30</span>')
    expect(page).toContain('<noscript> until 21 Nov 2026, 12:14 UTC</noscript>')
    const unpriced = pageOf('crypto-pay-bitcoin')
    expect(unpriced.match(/data-left="\d+"/g)).toEqual([`data-left="${47 * 3_600_000}"`])
    expect(unpriced).toContain('<span>Time left</span>')
    const last = pageOf('crypto-pay', (view) =>
      view.state.at === 'pay' ? { ...view, state: { ...view.state, until: view.now + 60_000 } } : view,
    )
    expect(last.match(/data-left="\d+"/g)).toEqual(['data-left="60000"'])
  })
})

test('a payer whose payment is short by no more than the shop accepts is asked for no more', () => {
  const page = pageOf('crypto-enough')
  expect(page).toContain('<h1 id="title">Payment received</h1>')
  expect(page).toContain(
    '1\u00a0USDT is missing. Kava &amp; Co accepts your payment without it: do not send anything more.',
  )
  expect(page).not.toContain('Send exactly')
  expect(pageOf('crypto-confirming')).not.toContain('is missing')
})

describe('a page that reports a problem', () => {
  const problems = [
    'crypto-expired',
    'crypto-underpaid',
    'crypto-underpaid-unknown',
    'crypto-claim',
    'crypto-claim-failed',
    'crypto-claim-declined',
    'crypto-late',
    'crypto-wrong-asset',
    'crypto-overpaid',
    'crypto-payment-refused',
    'fiat-received',
    'fiat-failed',
    'fiat-failed-unknown',
    'fiat-expired',
  ]
  test.each(problems)('%s links the support of the shop, and names the invoice in the mail', (name) => {
    const page = pageOf(name)
    const { id } = VIEWS[name]!
    expect(page).toContain('<a href="https://kava.example/help" rel="noreferrer">Contact Kava &amp; Co</a>')
    expect(page).toContain(`<a href="mailto:help@kava.example?subject=Order%201042%20(${id})">help@kava.example</a>`)
    expect(pageOf(name, withoutSupport)).not.toContain('Need help?')
  })
  test.each(['crypto-pay', 'crypto-confirming', 'crypto-paid', 'fiat-open', 'fiat-waiting'])(
    'is not %s, which links no support',
    (name) => {
      expect(pageOf(name)).not.toContain('mailto:')
    },
  )
  test.each(['crypto-expired', 'crypto-underpaid', 'crypto-claim-sent', 'crypto-late', 'fiat-failed', 'fiat-expired'])(
    '%s leads back to the shop, and not to the page for after the payment',
    (name) => {
      const page = pageOf(name)
      expect(page).toMatch(/<a class="button [^"]*" href="https:\/\/kava.example\/" rel="noreferrer">Back to Kava/)
      expect(page).not.toContain('https://kava.example/orders/1042')
      const siteless = pageOf(name, (view) => ({ ...view, seller: { ...view.seller, url: undefined } }))
      expect(siteless).toContain('href="https://kava.example/orders/1042"')
    },
  )
  test('a paid page without a page to return to leads to the site of the shop, and redirects no payer', () => {
    const page = pageOf('crypto-paid', (view) => ({ ...view, returnTo: undefined }))
    expect(page).toContain('<a class="button" href="https://kava.example/" rel="noreferrer">Back to Kava')
    expect(page).not.toContain('data-return=')
  })
})

describe('every page', () => {
  test(`has at most ${MOST_BYTES} bytes compressed, in every language`, () => {
    const sizes = Object.entries(VIEWS).flatMap(([name, view]) =>
      LANGUAGES.map((language) => ({
        name: `${name} ${language}`,
        bytes: brotliCompressSync(renderPage(view, language).html, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
        }).length,
      })),
    )
    expect(sizes.filter(({ bytes }) => bytes > MOST_BYTES)).toEqual([])
  })
})

describe('a typed amount', () => {
  test.each(['1,500', '1.500', '12,500', '999.000', '1234,567'])(
    '%s is unclear, and a field shows it clearly',
    (typed) => {
      expect([isUnclear(typed), pointed(typed), isUnclear(inField(typed))]).toEqual([true, undefined, false])
    },
  )
  test.each([
    ['0.125', '0.125'],
    ['0,125', '0.125'],
    ['1234.567', '1234.567'],
    ['1.2340', '1.2340'],
    ['1,50', '1.50'],
    ['1500', '1500'],
  ])('%s is %s', (typed, decimal) => {
    expect([isUnclear(typed), pointed(typed), inField(decimal)]).toEqual([false, decimal, decimal])
  })
})
