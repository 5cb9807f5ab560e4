/**
 * Every letter in a real browser, as a mail program shows it: readable on a phone and a desktop, light and dark,
 * loading nothing.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import { expect, test } from 'vitest'
import { LANGUAGES } from '../../server/src/platform/base/language.ts'
import { writeLetter, type LetterKind } from '../../server/src/merchants/mail-templates/index.ts'
import { LETTERS } from '../world/letters.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const KINDS = Object.keys(LETTERS) as LetterKind[]
const SIZES = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 1_280, height: 900 },
]

describeWithChromium('every letter', () => {
  const visit = useChromium()

  test.each(LANGUAGES)('in %s is in order for axe, cut off nowhere and loads nothing', async (language) => {
    const faults: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await visit({ colorScheme })
      const page = await context.newPage()
      page.on('request', (request) => faults.push(`asks for ${request.url()}`))
      for (const kind of KINDS) {
        await page.setContent(writeLetter(LETTERS[kind], language).html)
        await page.evaluate(AXE)
        for (const size of SIZES) {
          await page.setViewportSize(size)
          const wide = await page.evaluate('document.documentElement.scrollWidth')
          if (wide !== size.width) faults.push(`${kind} at ${size.width} is ${String(wide)} wide`)
          const { violations } = (await page.evaluate(
            "axe.run(document, { rules: { region: { enabled: false }, 'landmark-one-main': { enabled: false } } })",
          )) as axe.AxeResults
          faults.push(
            ...violations.map(({ id, nodes }) => `${kind} ${colorScheme} ${size.width}: ${id} ${nodes[0]!.html}`),
          )
        }
      }
      await context.close()
    }
    expect(faults).toEqual([])
  })

  test('with the longest texts there can be is cut off nowhere either', async () => {
    const page = await (await visit()).newPage()
    const { data } = LETTERS.underpaid
    const company = { name: 'Щ'.repeat(255), url: null }
    await page.setContent(
      writeLetter(
        {
          kind: 'underpaid',
          data: { ...data, company, description: 'w'.repeat(1_024), amount: `${'9'.repeat(30)}.${'1'.repeat(18)}` },
        },
        'uk',
      ).html,
    )
    for (const size of SIZES) {
      await page.setViewportSize(size)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width)
    }
  })
})
