import type { Language } from '../../../platform/base/language.ts'
import { en, type WebhookWords } from './en.ts'
import { kk } from './kk.ts'
import { ru } from './ru.ts'
import { uk } from './uk.ts'

export type { WebhookWords }

export const WEBHOOK_WORDS: Readonly<Record<Language, WebhookWords>> = { uk, kk, ru, en }
