import { documentOf, type RenderedPage } from './document.ts'
import { html } from './html.ts'
import { ICONS } from './icons.ts'
import type { Language } from './view.ts'
import { WORDS, type Words } from './words/index.ts'

/** Why an invoice can't be shown. */
export interface Problem {
  /** the HTTP status */
  status: number
  /** the change that a merchant has to make, in English; undefined when the status says everything */
  description: string | undefined
  requestId: string | undefined
}

/**
 * Renders a problem as a page. The description is shown only with status 400, 409 or 413; others do not help a payer.
 */
export const renderProblem = ({ status, description, requestId }: Problem, language: Language): RenderedPage => {
  const words = WORDS[language]
  const [title, text] = wordsOf(status, words)
  const shown = status === 400 || status === 409 || status === 413 ? description : undefined
  return documentOf({
    language,
    title,
    seller: undefined,
    main: html`<main class="alone"><section class="panel ${status === 404 ? 'plain' : 'warn'}" aria-labelledby="title"><div class="head"><span class="badge">${
      status === 404 ? ICONS.search : ICONS.alert
    }</span><h1 id="title">${title}</h1></div><p>${text}</p>${shown !== undefined && html`<p lang="en"><bdi>${shown}</bdi></p>`}
${requestId !== undefined && html`<p class="hash">${words.requestNumber} ${requestId}</p>`}</section></main>`,
    inLanguage: undefined,
    refreshSeconds: undefined,
    script: undefined,
  })
}

const wordsOf = (status: number, words: Words): readonly [string, string] => {
  if (status === 404) return [words.notFoundTitle, words.notFound]
  if (status === 429) return [words.tooManyTitle, words.tooMany]
  if (status >= 500) return [words.unavailableTitle, words.unavailable]
  return [words.badRequestTitle, words.badRequest]
}
