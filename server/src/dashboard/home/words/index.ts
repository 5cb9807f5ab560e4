import type { Language } from '../../../platform/base/language.ts'
import { en, type HomeWords, type Need } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export type { Need }

export const HOME_WORDS: Readonly<Record<Language, HomeWords>> = { uk, kk, ru, en }
