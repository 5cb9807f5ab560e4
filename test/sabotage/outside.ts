/** Faults in parts that the simulation does not have, by name: which part. */
const RESTORED = 'a database or signer restored from an older copy'
const ADDRESSES = 'webhooks to private addresses'
const WATCHERS = 'a second watcher'
const CONFLICTS = 'a second program that spends with the same keys'
const PEOPLE = 'people of merchants'

export const OUTSIDE_THE_SIMULATION: Readonly<Record<string, string>> = {
  'superseded-same-intent': CONFLICTS,
  'paid-by-conflict-not-barred': CONFLICTS,
  'intent-not-derived': RESTORED,
  'next-intent-random': RESTORED,
  'filler-over-waiting-payment': RESTORED,
  'coinbase-immature': 'miners who pay deposit addresses',
  'cursor-without-guard': WATCHERS,
  'old-leader-writes': WATCHERS,
  'bitcoin-partial-senders': 'payers on Bitcoin who are on a sanctions list',
  'card-payout-forgotten-order': RESTORED,
  'card-payout-random-reference': RESTORED,
  'card-in-refusal-stored': 'refusals that name a card',
  'conversion-random-intent': RESTORED,
  'invoice-refunded-twice': RESTORED,
  'invoice-free-option': "payers' pages",
  'ssrf-dotted-quad-regex': ADDRESSES,
  'ssrf-mapped-address': ADDRESSES,
  'ssrf-nat64-allowed': ADDRESSES,
  'ssrf-first-address-only': ADDRESSES,
  'ssrf-literal-address': ADDRESSES,
  'disabled-merchant-signs': 'merchants who are disabled',
  'expired-key-signs': 'keys of merchants that are replaced',
  'team-not-locked': PEOPLE,
  'team-not-authorised': PEOPLE,
  'team-in-ended-session': PEOPLE,
  'invitation-replaces-role': PEOPLE,
  'device-of-anyone': PEOPLE,
  'device-replaced': PEOPLE,
  'typed-fields-of-anyone': PEOPLE,
  'file-goes-on': PEOPLE,
  'file-for-another-role': PEOPLE,
  'files-of-members-without-limit': PEOPLE,
  'webhook-replayed-twice': PEOPLE,
  'webhook-replayed-by-way-back': PEOPLE,
  'webhook-url-without-proof': PEOPLE,
  'webhook-url-of-an-old-tab': PEOPLE,
  'old-timestamp': 'signed requests that are sent again later',
  'signature-by-equality': 'the duration of a comparison',
}
