import type { Language } from '../../../platform/base/language.ts'
import { en, type RefundWords } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export type { RefundWords } from './en.ts'

export const REFUND_WORDS: Readonly<Record<Language, RefundWords>> = { uk, kk, ru, en }
