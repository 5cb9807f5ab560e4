import { LANGUAGES, type Language } from './view.ts'

const isLanguage = (text: string): text is Language => (LANGUAGES as readonly string[]).includes(text)

/**
 * Chooses the language of a page: the one chosen on the page, else the browser's preferred language that is available
 * (RFC 9110, 12.5.4), else English.
 */
export const languageOf = (chosen: string | undefined, acceptLanguage: string | undefined): Language => {
  if (chosen !== undefined && isLanguage(chosen)) return chosen
  const wanted = (acceptLanguage ?? '')
    .slice(0, LONGEST)
    .split(',')
    .map((part, place) => {
      const [tag = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      const q = weight === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0
      return { language: tag.split('-')[0]!, q, place }
    })
  const best = wanted
    .filter(({ language, q }) => q > 0 && isLanguage(language))
    .sort((a, b) => b.q - a.q || a.place - b.place)[0]
  return (best?.language as Language | undefined) ?? 'en'
}

const LONGEST = 500
