import type { Language } from '../../../platform/base/language.ts'
import { AUDIT_WORDS, type AuditWords } from './audit.ts'
import { JOIN_WORDS, type JoinWords } from './join.ts'
import { MENU_WORDS, type MenuWords } from './menu.ts'
import { PROVING_WORDS, type ProvingWords } from './proving.ts'
import { SECURITY_WORDS, type SecurityWords } from './security.ts'
import { SIGN_IN_WORDS, type SignInWords } from './sign-in.ts'
import { TEAM_WORDS, type TeamWords } from './team.ts'

/**
 * The texts of these pages. Every language must have every key, or it does not compile. Each part has a file; a new
 * page reads its own texts by the language, as Keys does.
 */
export type Words = AuditWords & JoinWords & MenuWords & ProvingWords & SecurityWords & SignInWords & TeamWords

const wordsIn = (language: Language): Words => ({
  ...AUDIT_WORDS[language],
  ...JOIN_WORDS[language],
  ...MENU_WORDS[language],
  ...PROVING_WORDS[language],
  ...SECURITY_WORDS[language],
  ...SIGN_IN_WORDS[language],
  ...TEAM_WORDS[language],
})

export const WORDS: Readonly<Record<Language, Words>> = {
  uk: wordsIn('uk'),
  kk: wordsIn('kk'),
  ru: wordsIn('ru'),
  en: wordsIn('en'),
}
