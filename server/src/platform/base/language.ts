/** Languages of mails and pages (BCP 47). */
export const LANGUAGES = ['uk', 'kk', 'ru', 'en'] as const

export type Language = (typeof LANGUAGES)[number]

export const isLanguage = (text: unknown): text is Language => LANGUAGES.some((language) => language === text)
