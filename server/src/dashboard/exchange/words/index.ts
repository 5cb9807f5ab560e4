import type { Language } from '../../../platform/base/language.ts'
import { en, type ExchangeWords } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export const EXCHANGE_WORDS: Readonly<Record<Language, ExchangeWords>> = { uk, kk, ru, en }
