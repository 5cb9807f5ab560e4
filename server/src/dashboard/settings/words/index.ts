import type { Language } from '../../../platform/base/language.ts'
import { en, type SettingsWords } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export const SETTINGS_WORDS: Readonly<Record<Language, SettingsWords>> = { uk, kk, ru, en }

/** Each language in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  uk: 'Українська',
  kk: 'Қазақша',
  ru: 'Русский',
  en: 'English',
}
