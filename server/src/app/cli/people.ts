import { randomBytes } from 'node:crypto'
import { inTransaction } from '../../platform/db/index.ts'
import { isLanguage, LANGUAGES, type Language } from '../../platform/base/language.ts'
import {
  invite,
  isRole,
  listMembers,
  nowOf,
  removeMember,
  resetAccess,
  ROLES,
  type Invited,
} from '../../people/access/index.ts'
import { withInstallation } from '../installation/open.ts'
import { actor } from './recording.ts'
import { command, neededText, textOr, UsageError, type Command } from './command.ts'
import type { Output } from './output.ts'

const language = textOr('en', LANGUAGES.join('|'), 'of the mail')

const readLanguage = (typed: string): Language => {
  if (!isLanguage(typed)) throw new UsageError(`--language is one of ${LANGUAGES.join(', ')}`)
  return typed
}

/** Shows the link only if no mail carries it: it gives access to the dashboard. */
const showInvited = ({ url, expiresAt, mail }: Invited, email: string, out: Output): void => {
  if (mail === 'queued') {
    out.show({ mail, expiresAt }, [])
    return out.say(`an invitation is mailed to ${email}; its link is valid until ${expiresAt.toISOString()}`)
  }
  out.show({ mail, url, expiresAt }, [])
  out.say(
    `no mail is sent (${mail === 'off' ? 'no worker sends mail' : mail}). Hand over this link, valid until ${expiresAt.toISOString()}, in person: ${url}`,
  )
}

export const peopleCommands: readonly Command[] = [
  command({
    name: 'merchant invite',
    summary: 'invite a person, by mail, to the dashboard of a merchant',
    args: ['MERCHANT_ID', 'EMAIL'],
    options: { role: neededText(ROLES.join('|'), 'the role of the person'), language },
    more: 'The link in the mail works once, within seven days. An earlier invitation of the address to this merchant is withdrawn. Without a mail server the command prints the link.',
    run: async ({ args: { MERCHANT_ID: merchantId, EMAIL: email }, options: { role, language } }, env, out) => {
      if (!isRole(role)) throw new UsageError(`--role is one of ${ROLES.join(', ')}`)
      const given = { merchantId, email, role, language: readLanguage(language), actor: actor() }
      await withInstallation(env, async ({ runtime, config: { publicUrl } }) => {
        const invited = await inTransaction(runtime.db, (tx) =>
          invite(tx, given, { random: randomBytes, publicUrl }, nowOf(runtime)),
        )
        showInvited(invited, email, out)
      })
    },
  }),
  command({
    name: 'merchant members',
    summary: 'list the members of a merchant, and the invitations that are open',
    args: ['MERCHANT_ID'],
    run: async ({ args: { MERCHANT_ID: merchantId } }, env, out) => {
      await withInstallation(env, async ({ runtime }) => {
        const members = await listMembers(runtime.db, merchantId, nowOf(runtime).real)
        out.list(
          'members',
          members.map((member) => ({ ...member })),
          { none: 'the merchant has no members' },
        )
      })
    },
  }),
  command({
    name: 'merchant remove-member',
    summary: 'remove a member of a merchant, and withdraw an open invitation of the address',
    args: ['MERCHANT_ID', 'EMAIL'],
    run: async ({ args: { MERCHANT_ID: merchantId, EMAIL: email } }, env, out) => {
      const given = { merchantId, email, actor: actor() }
      await withInstallation(env, async ({ runtime }) => {
        await inTransaction(runtime.db, (tx) => removeMember(tx, given, nowOf(runtime)))
        out.say('removed')
      })
    },
  }),
  command({
    name: 'merchant reset-access',
    summary: "remove a member's passkeys, password and sessions, and mail a link to set up a new way to sign in",
    args: ['MERCHANT_ID', 'EMAIL'],
    options: { language },
    irreversible: 'The person can sign in only by the link that is mailed now.',
    more: 'For a person who has lost every passkey, or the phone with the one-time codes. Make sure by another way than mail that the person asks for it.',
    run: async ({ args: { MERCHANT_ID: merchantId, EMAIL: email }, options: { language } }, env, out) => {
      const given = { merchantId, email, language: readLanguage(language), actor: actor() }
      await withInstallation(env, async ({ runtime, config: { publicUrl } }) => {
        const invited = await inTransaction(runtime.db, (tx) =>
          resetAccess(tx, given, { random: randomBytes, publicUrl }, nowOf(runtime)),
        )
        showInvited(invited, email, out)
      })
    },
  }),
]
