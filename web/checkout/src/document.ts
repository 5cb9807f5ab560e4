import { accentOf, GROUNDS } from './accent.ts'
import { escapeText, foreign, html, Markup } from './html.ts'
import { outsideLink } from './links.ts'
import { logoPiece } from './logo.ts'
import { headersOf, policyOf } from './policy.ts'
import { styleOf } from './style.ts'
import { LANGUAGES, type Language, type Seller } from './view.ts'
import { LANGUAGE_NAMES, WORDS } from './words/index.ts'

/** A rendered page with its headers. */
export interface RenderedPage {
  html: string
  headers: Readonly<Record<string, string>>
}

export interface DocumentParts {
  language: Language
  title: string
  /** undefined when there is no seller, as on the page of a problem */
  seller: Seller | undefined
  /** in place of the header with the seller's name */
  header?: Markup | undefined
  main: Markup
  /** the URL of the page in another language; undefined when the page can't be requested again */
  inLanguage: ((language: Language) => string) | undefined
  /** the interval at which the page reloads where no scripts run */
  refreshSeconds: number | undefined
  /** the script that the page needs */
  script: string | undefined
  /** rules in addition to those of every page */
  style?: string
  formTo?: string | undefined
}

/** Renders a complete document, which loads nothing else but the logo of the seller. */
export const documentOf = (parts: DocumentParts): RenderedPage => {
  const { language, title, seller, main, refreshSeconds, script } = parts
  const style = styleOf(seller?.accent) + (parts.style ?? '')
  const markup = html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<meta name="robots" content="noindex"><meta name="theme-color" content="${GROUNDS.light.ground}" media="(prefers-color-scheme:light)"><meta name="theme-color" content="${GROUNDS.dark.ground}" media="(prefers-color-scheme:dark)">
<link rel="icon" href="${iconOf(seller)}"><style>${new Markup(style)}</style>
${refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}</head>
<body>${parts.header ?? (seller && header(seller))}${main}<footer>${languageLinks(parts)}<p id="said" role="status" class="unseen"></p></footer>${
    script !== undefined && html`<script>${new Markup(script)}</script>`
  }</body></html>`
  return {
    html: markup.text,
    headers: headersOf(policyOf({ style, script, formTo: parts.formTo, picture: seller?.logo?.src })),
  }
}

const header = ({ name, url, logo }: Seller): Markup => {
  const link = outsideLink(url)
  const shown = link === undefined ? foreign(name) : html`<a href="${link}" rel="noreferrer">${foreign(name)}</a>`
  return html`<header>${logo ? logoPiece(logo) : html`<span class="mark" aria-hidden="true">${letterOf(name)}</span>`}<p class="seller">${shown}</p></header>`
}

/** The first letter of a name, shown in place of a logo. */
const letterOf = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '•'

const iconOf = (seller: Seller | undefined): string => {
  const { surface, on } = accentOf(seller?.accent, 'light')
  const letter = escapeText(letterOf(seller?.name ?? ''))
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="${surface}"/><text x="16" y="22.5" font-family="sans-serif" font-weight="700" font-size="19" text-anchor="middle" fill="${on}">${letter}</text></svg>`)}`
}

const languageLinks = ({ language, inLanguage }: DocumentParts): Markup | undefined =>
  inLanguage &&
  html`<nav aria-label="${WORDS[language].languages}"><ul>${LANGUAGES.map((one) =>
    one === language
      ? html`<li><span aria-current="true">${LANGUAGE_NAMES[one]}</span></li>`
      : html`<li><a href="${inLanguage(one)}" lang="${one}" hreflang="${one}">${LANGUAGE_NAMES[one]}</a></li>`,
  )}</ul></nav>`
