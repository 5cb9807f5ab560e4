import type { Language } from '../../../platform/base/language.ts'
import { en, type Words } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export type { Words }

export const WORDS: Readonly<Record<Language, Words>> = { uk, kk, ru, en }
