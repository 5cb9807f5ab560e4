import type { Sabotage } from './sabotage.ts'

const ACCESS = 'server/src/people/access'
const PAGES = 'server/src/people/pages'

/** Faults of people of merchants: their teams, their sessions and their pages. */
export const peopleSabotages: readonly Sabotage[] = [
  {
    name: 'claim-refund-of-another-sum',
    file: 'server/src/app/composition/refunds.ts',
    replace: ['const isApproved = spend === line.units && to === line.to', 'const isApproved = to === line.to'],
    fault: 'decision 201',
    breaks: 'A refund of a claim is made with a larger sum than members have approved.',
    finder:
      'server/src/app/composition/refund-pages.test.ts › is not made when more money has arrived than was approved',
  },
  {
    name: 'parts-not-added-up',
    file: 'server/src/pay-out/requests/approving.ts',
    replace: ['count < ruleOf(policy, ticker).approvals', 'count === 0 && ticker !== undefined'],
    fault: 'decision 186',
    breaks: 'Two people pay in parts an amount that needs more approvals.',
    finder:
      'server/src/pay-out/requests/parts.test.ts › two people can’t pay in parts an amount that needs two approvals',
  },
  {
    name: 'looser-policy-at-once',
    file: 'server/src/pay-out/requests/policy.ts',
    replace: ['const looser = isLooser(rules, present.rules)', 'const looser = isLooser(rules, rules)'],
    fault: 'decision 186',
    breaks: 'An owner, or a thief of their session, allows large payouts and pays them at once.',
    finder:
      'server/src/app/composition/payout-pages.test.ts › S6 is changed by an owner, at once where it forbids more, a day later where it allows more',
  },
  {
    name: 'day-not-added-up',
    file: 'server/src/pay-out/requests/approving.ts',
    replace: ['mostDay !== null && day + units > mostDay', 'mostDay !== null && units > mostDay && day >= 0n'],
    fault: 'decision 186',
    breaks: 'Members pay more in a day than the policy allows.',
    finder:
      'server/src/pay-out/requests/approving.test.ts › limits hours of the day, and the sums of an hour and of a day',
  },
  {
    name: 'removed-address-known',
    file: 'server/src/pay-out/requests/address-book.ts',
    replace: [
      'where merchant_id = ${merchantId} and removed_at is null order by lower(name), id',
      'where merchant_id = ${merchantId} order by lower(name), id',
    ],
    fault: 'decision 186',
    breaks: 'Members who may pay the address book only pay an address that was removed from it.',
    finder:
      'server/src/app/composition/payout-pages.test.ts › S6 has names of addresses that count as known a day later, and is closed to those who may not change it',
  },
  {
    name: 'card-refund-of-old-sum',
    file: 'server/src/cards/acquiring/refunding.ts',
    replace: ['before !== null && before !== payment.refundedUnits', 'before !== null && before < 0n'],
    fault: 'decision 201',
    breaks: 'A part of a card payment is refunded by the operator and by members.',
    finder:
      'server/src/app/composition/refund-pages.test.ts › in part, of which the operator has refunded the same part meanwhile, fails',
  },
  {
    name: 'team-not-locked',
    file: `${ACCESS}/team.ts`,
    replace: ['removed_at is null order by person_id for update`', 'removed_at is null order by person_id`'],
    fault: 'decision 182',
    breaks: 'Two owners who remove each other at once leave the merchant without an owner.',
    finder: `${ACCESS}/team.test.ts › stays when two owners remove each other at once`,
  },
  {
    name: 'team-not-authorised',
    file: `${ACCESS}/team.ts`,
    replace: [
      "for (const action of new Set(['manage-members' as const, ...roles.map(managing)]))",
      "for (const action of new Set(['see-team' as const, ...roles.map(() => 'see-team' as const)]))",
    ],
    fault: 'decision 182',
    breaks: 'Any member invites an owner.',
    finder: `${ACCESS}/permissions.test.ts › S8 invite an owner: each role may, or is refused and changes nothing`,
  },
  {
    name: 'team-in-ended-session',
    file: `${ACCESS}/team.ts`,
    replace: ['  await requireOpen(tx, session)\n', ''],
    fault: 'decision 182',
    breaks: 'A team is changed in a session that its person has ended.',
    finder: `${ACCESS}/permissions.test.ts › remove a viewer: needs a recent proof, in a session that is still open`,
  },
  {
    name: 'invitation-replaces-role',
    file: `${ACCESS}/people.ts`,
    replace: ['where dashboard_members.removed_at is not null returning 1', 'returning 1'],
    fault: 'decision 182',
    breaks: 'The last owner accepts another invitation, and the merchant has no owner.',
    finder: `${ACCESS}/team.test.ts › two invitations of an address that are open at once make it a member once: the second changes no role`,
  },
  {
    name: 'device-of-anyone',
    file: `${ACCESS}/devices.ts`,
    replace: [
      'keys.some((key) => timingSafeEqual(macOf(key, nonce, address), mac))',
      'keys.length > mac.length - MAC_BYTES',
    ],
    fault: 'decision 182',
    breaks: 'A cookie that was made up gives a count of attempts at a password of its own.',
    finder: `${PAGES}/refusals.test.ts › is known by no cookie that was made up`,
  },
  {
    name: 'device-replaced',
    file: `${ACCESS}/devices.ts`,
    replace: ['const others = tokensIn(before)', 'const others = tokensIn(undefined && before)'],
    fault: 'decision 182',
    breaks: 'Failures of others block a person in their own browser, because another person has signed in there.',
    finder: `${PAGES}/refusals.test.ts › stays known as the browser of each person who has signed in there`,
  },
  {
    name: 'typed-fields-of-anyone',
    file: `${PAGES}/drafts.ts`,
    replace: ['`typed fields|${id}|', '`typed fields|'],
    fault: 'decision 182',
    breaks: 'A link from another person fills in an invitation as if its reader had typed it.',
    finder: `${PAGES}/team.test.ts › shows no text that a link of another site or of another person holds`,
  },
  {
    name: 'file-goes-on',
    file: 'server/src/dashboard/frame/file.ts',
    replace: ['if (!(await isStillAllowed())) {', 'if (isStillAllowed === undefined) {'],
    fault: 'decision 183',
    breaks: 'A member who was removed reads on in a file of all payments.',
    finder: 'server/src/dashboard/frame/file.test.ts › ends before its next page when the member was removed',
  },
  {
    name: 'file-for-another-role',
    file: 'server/src/dashboard/frame/member-page.ts',
    replace: ['can(db, { personId: session.person.id, action, merchantId })', 'merchantId !== undefined'],
    fault: 'decision 183',
    breaks: 'A member reads on in a file that their new role does not allow.',
    finder:
      'server/src/dashboard/frame/file.test.ts › ends before its next page when the member has another role, which may not see it',
  },
  {
    name: 'files-of-members-without-limit',
    file: 'server/src/app/http/streams.ts',
    replace: ['isMember ? [ofMembers, all] : [all]', 'isMember && ofMembers === all ? [ofMembers, all] : [all]'],
    fault: 'decision 183',
    breaks: 'Members who read slowly keep the merchant from reading files by its API.',
    finder:
      'server/src/app/http/streams.test.ts › members have two of the four files at once: the API keeps the others',
  },
  {
    name: 'webhook-replayed-twice',
    file: 'server/src/merchants/webhooks/commands.ts',
    replace: ['  await sql`select from event_heads where merchant_id = ${merchantId} for update`.execute(tx)\n', ''],
    fault: 'decision 190',
    breaks: 'Two members who send a notification again at once send it twice.',
    finder:
      'server/src/merchants/webhooks/workers.test.ts › of two requests at once to send a notification again, the second finds that it waits',
  },
  {
    name: 'webhook-replayed-by-way-back',
    file: 'server/src/merchants/webhooks/commands.ts',
    replace: ["  if (event.lastEpoch !== lastEpoch) return 'changed'\n", ''],
    fault: 'decision 190',
    breaks: 'A form that is submitted again after a delivery sends the notification again.',
    finder:
      'server/src/app/composition/webhook-pages.test.ts › sends it again with the same bytes; pressed twice, from two tabs or by the way back, it is sent once',
  },
  {
    name: 'webhook-url-without-proof',
    file: 'server/src/dashboard/webhooks/commands.ts',
    replace: ['needsProof: true', 'needsProof: false'],
    fault: 'decision 190',
    breaks: 'A session that was left open sends the notifications of a merchant to another URL.',
    finder:
      'server/src/app/composition/webhook-endpoint.test.ts › S6 needs a proof of the last five minutes; the typed text stays',
  },
  {
    name: 'webhook-url-of-an-old-tab',
    file: 'server/src/dashboard/webhooks/commands.ts',
    replace: ["  if (before !== shown) return 'changed'\n", ''],
    fault: 'decision 190',
    breaks: 'The form of an old tab reverts the URL that another member has changed.',
    finder:
      'server/src/app/composition/webhook-endpoint.test.ts › a second click and the form of an old tab change nothing',
  },
  {
    name: 'card-of-an-ended-request',
    file: 'server/src/pay-out/requests/jobs-placing.ts',
    replace: ['    await tendCards(deps.runtime.db, deps.toCards.cards, nowOf(deps.runtime).real)\n', ''],
    fault: 'decision 213',
    breaks: 'The number of a card stays in the database after its payout was refused or has expired.',
    finder:
      'server/src/app/composition/card-payout-guide.test.ts › a number is erased when its request was refused, withdrawn or has expired',
  },
  {
    name: 'card-of-any-session',
    file: 'server/src/dashboard/payouts/card-guide.ts',
    replace: ['`card of a payout|${id}|${merchantId}`', "`card of a payout|${id === '' ? id : merchantId}`"],
    fault: 'decision 213',
    breaks: 'A member pays to a card that another member has typed, from a form that was copied.',
    finder:
      'server/src/app/composition/card-payout-guide.test.ts › all problems of a step are shown at once; the number is typed once, and is not shown again',
  },
]
