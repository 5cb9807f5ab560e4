import { html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { MOST_COUNTED } from '../../merchants/webhooks/index.ts'
import type { WebhookWords } from './words/index.ts'

const COUNT = /^\d{1,6}$/

interface Said {
  isProblem: boolean
  text: string
}

/** The result of the last form, which the URL names. */
export const saidOf = (texts: WebhookWords, woken: string | undefined, said: string | undefined): Said | undefined => {
  if (woken !== undefined && COUNT.test(woken)) return { isProblem: false, text: texts.woken(Number(woken)) }
  const all: ReadonlyMap<string, Said> = new Map([
    ['saved', { isProblem: false, text: texts.saved }],
    ['test', { isProblem: false, text: texts.testAsked }],
    ['test-limited', { isProblem: true, text: texts.testLimited }],
    ['test-no-url', { isProblem: true, text: texts.testNoUrl }],
  ])
  return all.get(said ?? '')
}

export const saidNote = (said: Said | undefined): Markup | undefined =>
  said &&
  html`<div role="status">${note(said.isProblem ? 'warn' : 'good', said.isProblem ? ICONS.alert : ICONS.check, said.text)}</div>`

/** A number of objects, of which at most MOST_COUNTED were counted. */
export const counted = (count: number): string => (count < MOST_COUNTED ? String(count) : `≥ ${MOST_COUNTED}`)
