import { expect, test } from 'vitest'
import { VIEWS } from '../../../test/world/page-views.ts'
import { LANGUAGES, renderPage } from './index.ts'
import { WORDS } from './words/index.ts'

const failed = VIEWS['fiat-failed']!

test.each(LANGUAGES)("a refused card is explained in %s, and the bank's own message is folded below", (language) => {
  const page = renderPage(failed, language).html
  expect(page).toContain(WORDS[language].refusedFunds)
  const [, folded] = page.split(`<details><summary>${WORDS[language].failedReason}</summary>`)
  expect(folded).toMatch(/^<p class="soft">.*Insufficient funds/)
  expect(page.split('<details><summary>')[0]).not.toContain('Insufficient funds')
})

test('a message of the bank stays text', () => {
  const { state } = failed
  if (state.at !== 'failed') throw new Error('a failed view')
  const page = renderPage({ ...failed, state: { ...state, reason: '</p><script>alert(1)</script>' } }, 'en').html
  expect(page).not.toContain('<script>alert')
})

test('a payment whose outcome is unknown gives no reason', () => {
  const page = renderPage(VIEWS['fiat-failed-unknown']!, 'en').html
  expect(page).not.toContain(WORDS.en.failedReason)
  for (const [key, text] of Object.entries(WORDS.en)) if (key.startsWith('refused')) expect(page).not.toContain(text)
})
