import type { Language } from '../../../platform/base/language.ts'
import { en, type InvoicingWords } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export type { InvoicingWords }

export const INVOICING_WORDS: Readonly<Record<Language, InvoicingWords>> = { uk, kk, ru, en }
