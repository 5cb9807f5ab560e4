import { html, type Markup } from '@bursar/checkout/html'
import { showTime } from '../../merchants/documents/index.ts'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import {
  changeRole,
  inviteMember,
  isRole,
  managing,
  mayRole,
  ProofNeeded,
  readTeam,
  removeFromTeam,
  resendInvitation,
  ROLES,
  TeamProblem,
  withdrawInvitation,
  type InvitationLine,
  type Role,
  type TeamMember,
} from '../access/index.ts'
import { choice, hidden, input, mailPiece, pageOf, redirect, section, type PageParts } from './frame.ts'
import { draftIn, draftOf, type Draft } from './drafts.ts'
import { forMerchant, type MerchantVisit } from './merchant-page.ts'
import { provePanel, saidBy } from './proving.ts'
import { linkTo, teamPath, type DashboardDeps, type Fields } from './visit.ts'

/** The role that the form of an invitation proposes. */
const PROPOSED: Role = 'viewer'
/** Is the id of no row: commands find nothing by it. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

interface Shown extends Pick<PageParts, 'said' | 'status'> {
  draft: Draft
}

export const showTeam = (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> =>
  forMerchant(deps, request, (visit) => {
    const said = saidBy(visit, request)
    return teamPage(deps, visit, { said, draft: draftOf(deps, visit.session, request) })
  })

export const changeTeam = (deps: DashboardDeps, request: PageRequest): Promise<PageAnswer> =>
  forMerchant(deps, request, async (visit, given) => {
    const fields = given!
    const { words, membership } = visit
    const draft = draftIn(fields)
    const failed = (text: string, status: number): Promise<PageAnswer> =>
      teamPage(deps, visit, { said: { isProblem: true, text }, status, draft })
    const command = commandOf(deps, visit, fields)
    if (!command) return failed(words.notDone, 400)
    try {
      await inTransaction(deps.db, command)
    } catch (error) {
      if (error instanceof ProofNeeded) return failed(words.proveNeeded, 403)
      if (error instanceof TeamProblem) return failed(words.teamTroubles[error.trouble], 400)
      throw error
    }
    return redirect(linkTo(visit, teamPath(membership.merchantId), { done: '1' }))
  })

/** The command that a form asks for; undefined if it is none. */
const commandOf = (
  { random, publicUrl }: DashboardDeps,
  { session, now, language, membership: { merchantId } }: MerchantVisit,
  fields: Fields,
): ((tx: Tx) => Promise<void>) | undefined => {
  const inviting = { random, publicUrl }
  const id = isUuid(fields('id')) ? fields('id') : NO_ID
  const [role, invited] = [fields('role'), fields('invitee-role')]
  switch (fields('do')) {
    case 'invite':
      if (!isRole(invited)) return undefined
      return (tx) =>
        inviteMember(tx, session, { merchantId, email: fields('invitee'), role: invited, language }, inviting, now)
    case 'resend':
      return (tx) => resendInvitation(tx, session, { merchantId, id, language }, inviting, now)
    case 'withdraw':
      return (tx) => withdrawInvitation(tx, session, { merchantId, id }, now)
    case 'change-role':
      if (!isRole(role)) return undefined
      return (tx) => changeRole(tx, session, { merchantId, personId: id, role }, now)
    case 'remove':
      return (tx) => removeFromTeam(tx, session, { merchantId, personId: id }, now)
    default:
      return undefined
  }
}

const teamPage = async (deps: DashboardDeps, visit: MerchantVisit, shown: Shown): Promise<PageAnswer> => {
  const { words, session, now, membership } = visit
  const { members, invitations } = await readTeam(deps.db, session.person.id, membership.merchantId, now.real)
  const mayManage = mayRole(membership.role, 'manage-members')
  const next = teamPath(membership.merchantId)
  return pageOf(visit, {
    title: words.team,
    merchant: visit.membership,
    part: 'team',
    said: shown.said,
    ...(shown.status !== undefined && { status: shown.status }),
    sections: [
      mayManage && (await provePanel(deps, visit, { next, draft: shown.draft })),
      mayManage && inviteForm(visit, shown.draft),
      invitations.length > 0 &&
        section(words.invitations, html`<ul class="rows">${invitations.map((one) => invitationLine(visit, one))}</ul>`),
      section(words.members, html`<ul class="rows">${members.map((one) => memberLine(visit, one))}</ul>`),
    ],
  })
}

/** The roles that the person may give, in the language of the page. */
const rolesFor = ({ words, membership }: MerchantVisit): (readonly [Role, string])[] =>
  ROLES.filter((role) => mayRole(membership.role, managing(role))).map((role) => [role, words.roles[role]])

const inviteForm = (visit: MerchantVisit, draft: Draft): Markup => {
  const { words } = visit
  const role = draft['invitee-role'] ?? ''
  return section(
    words.inviteTitle,
    html`<form method="post" action="${actionOf(visit)}">${hidden('do', 'invite')}<p>${words.inviteText}</p>
${input({ name: 'invitee', label: words.email, type: 'email', autocomplete: 'off', value: draft['invitee'] ?? '' })}
${choice({ id: 'invitee-role', name: 'invitee-role', label: words.role }, rolesFor(visit), isRole(role) ? role : PROPOSED)}
<button>${words.invite}</button></form>`,
  )
}

const actionOf = (visit: MerchantVisit): string => linkTo(visit, teamPath(visit.membership.merchantId))

const invitationLine = (visit: MerchantVisit, { id, email, role, invitedBy, expiresAt }: InvitationLine): Markup => {
  const { words, membership } = visit
  return html`<li><div class="line"><div>${mailPiece(email)}<br><span class="soft">${words.roles[role]}, ${words.invitedBy(invitedBy ?? words.operator)}, ${words.validUntil(showTime(expiresAt.getTime()))}</span></div>${
    mayRole(membership.role, managing(role)) &&
    html`${button(visit, 'resend', id, words.resend, words.resendTo(email))}${button(visit, 'withdraw', id, words.withdraw, words.withdrawFrom(email))}`
  }</div></li>`
}

const memberLine = (visit: MerchantVisit, member: TeamMember): Markup => {
  const { words, session, membership } = visit
  const { personId, email, role, addedAt } = member
  return html`<li><div>${mailPiece(email)}${personId === session.person.id && html` (${words.you})`}<br><span class="soft">${words.roles[role]}, ${words.added(showTime(addedAt.getTime()))}</span></div>${
    mayRole(membership.role, managing(role)) && changeForms(visit, member)
  }</li>`
}

const changeForms = (visit: MerchantVisit, { personId, email, role }: TeamMember): Markup => {
  const { words } = visit
  return html`<details class="change"><summary aria-label="${words.changeOf(email)}">${words.change}</summary>
<form method="post" action="${actionOf(visit)}">${hidden('do', 'change-role')}${hidden('id', personId)}${choice({ id: `role-${personId}`, name: 'role', label: words.role }, rolesFor(visit), role)}
<button class="second">${words.changeRole}</button></form>${button(visit, 'remove', personId, words.removeShort, words.remove(email))}</details>`
}

/** A form of one button about one member or invitation. */
const button = (visit: MerchantVisit, does: string, id: string, text: string, label: string): Markup =>
  html`<form method="post" action="${actionOf(visit)}">${hidden('do', does)}${hidden('id', id)}<button class="second" aria-label="${label}">${text}</button></form>`
