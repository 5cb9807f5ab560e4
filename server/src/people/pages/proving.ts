import { html, type Markup } from '@bursar/checkout/html'
import type { PageRequest } from '../../platform/api/page.ts'
import { hasPassword, listPasskeys, provePurpose, requestOptions } from '../access/index.ts'
import { hidden, passkeyForm, section, userName } from './frame.ts'
import { draftInputs, type Draft } from './drafts.ts'
import { proofFields } from './sign-in.ts'
import { linkTo, SECURITY_PATH, type DashboardDeps, type Signed } from './visit.ts'

/** The result of the last action, which the redirect after it says in the query of the page. */
export const saidBy = (
  { words, session }: Signed,
  { query }: Pick<PageRequest, 'query'>,
): { isProblem: false; text: string } | undefined => {
  if (query['proved'] !== undefined && session.isProved) return { isProblem: false, text: words.proved }
  return query['done'] === undefined ? undefined : { isProblem: false, text: words.done }
}

/**
 * The forms with which a session proves again that its person is there. Afterwards the browser returns to the page
 * `next`, with the fields that the person had typed there.
 * @returns undefined while a proof is recent
 */
export const provePanel = async (
  { db, party, challenges }: DashboardDeps,
  visit: Signed,
  { next, draft }: { next: string; draft: Draft },
): Promise<Markup | undefined> => {
  const { words, session, now } = visit
  if (session.isProved) return undefined
  const [passkeys, isPassword] = [await listPasskeys(db, session.person.id), await hasPassword(db, session.person.id)]
  const action = linkTo(visit, SECURITY_PATH)
  const again = html`${hidden('next', next)}${draftInputs(draft)}`
  return section(
    words.proveTitle,
    html`<p>${words.proveText}</p>`,
    party !== undefined &&
      passkeys.length > 0 &&
      passkeyForm({
        verb: 'use',
        action,
        does: 'prove-passkey',
        options: requestOptions(party, challenges.make(provePurpose(session.id), now.real), passkeys),
        button: words.prove,
        failed: words.passkeyFailed,
        fields: again,
      }),
    isPassword &&
      html`<form method="post" action="${action}">${hidden('do', 'prove-password')}${again}${userName(session.person.email)}${proofFields(words)}<button class="second fallback">${words.prove}</button></form>`,
  )
}
