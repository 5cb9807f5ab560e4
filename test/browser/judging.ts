/** Pages before axe, and their width, on a phone and on a desktop, in light and dark. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SIZES = [
  { width: 320, height: 640 },
  { width: 1_280, height: 900 },
]

export interface Judge {
  /** violations of axe, and pages that are wider than the window */
  faults: readonly string[]
  /** lines of the console, and errors of scripts */
  said: readonly string[]
  /** @param name of the page that is open, for its faults */
  judge(name: string): Promise<void>
}

/**
 * Judges pages in four ways: in light and dark, on a phone and on a desktop. The colours and the boxes of a page are
 * the same in each language. So a page whose `lang` names another language than English is judged once, by all rules
 * but that of colours, and by its width in both sizes.
 */
export const judgeOf = (page: Page): Judge => {
  const [faults, said]: [string[], string[]] = [[], []]
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.message))
  const judgeWidth = async (name: string, size: (typeof SIZES)[number]): Promise<void> => {
    await page.setViewportSize(size)
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    if (wide !== size.width) faults.push(`${name} at ${size.width} is ${String(wide)} wide`)
  }
  const judgeRules = async (name: string, rules: string): Promise<void> => {
    const { violations } = (await page.evaluate(
      `axe.run(document, { resultTypes: ["violations"], ${rules} })`,
    )) as axe.AxeResults
    faults.push(...violations.map(({ id, nodes }) => `${name}: ${id} ${nodes.map(({ html }) => html).join(' | ')}`))
  }
  const judge = async (name: string): Promise<void> => {
    await page.evaluate(AXE)
    const language = String(await page.evaluate('document.documentElement.lang'))
    const isTranslated = language !== '' && language !== 'en'
    for (const size of SIZES) {
      await judgeWidth(name, size)
      if (isTranslated) continue
      await page.emulateMedia({ colorScheme: 'light' })
      await judgeRules(`${name} light ${size.width}`, '')
      await page.emulateMedia({ colorScheme: 'dark' })
      await judgeRules(`${name} dark ${size.width}`, 'runOnly: ["color-contrast"]')
    }
    if (isTranslated) await judgeRules(`${name} in ${language}`, 'rules: { "color-contrast": { enabled: false } }')
  }
  return { faults, said, judge }
}
