import type { Language } from '../view.ts'
import { en, type Words } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export type { Words }
export const WORDS: Readonly<Record<Language, Words>> = { uk, kk, ru, en }

/** The name of each language in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  uk: 'Українська',
  kk: 'Қазақша',
  ru: 'Русский',
  en: 'English',
}
