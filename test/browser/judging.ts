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

export const judgeOf = (page: Page): Judge => {
  const [faults, said]: [string[], string[]] = [[], []]
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.message))
  const judge = async (name: string): Promise<void> => {
    await page.evaluate(AXE)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const size of SIZES) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize(size)
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        if (wide !== size.width) faults.push(`${name} at ${size.width} is ${String(wide)} wide`)
        const { violations } = (await page.evaluate(
          'axe.run(document, { resultTypes: ["violations"] })',
        )) as axe.AxeResults
        faults.push(
          ...violations.map(({ id, nodes }) => `${name} ${colorScheme} ${size.width}: ${id} ${nodes[0]!.html}`),
        )
      }
  }
  return { faults, said, judge }
}
