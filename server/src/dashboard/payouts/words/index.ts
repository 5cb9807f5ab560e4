import type { Language } from '../../../platform/base/language.ts'
import { en, type PayoutWords } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export type { PayoutWords, RequestStatus } from './en.ts'

export const PAYOUT_WORDS: Readonly<Record<Language, PayoutWords>> = { uk, kk, ru, en }
