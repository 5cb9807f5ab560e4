import type { Sabotage } from './sabotage.ts'

/** Faults of requests, callbacks and webhooks. */
export const apiSabotages: readonly Sabotage[] = [
  {
    name: 'ssrf-dotted-quad-regex',
    file: 'server/src/platform/outbound/guard.ts',
    replace: [
      'const address = parseAddress(text)',
      "const address = parseAddress(/^\\d+(\\.\\d+){3}$/.test(text) ? text : '8.8.8.8')",
    ],
    fault: 'P2',
    breaks: 'A webhook to a private address that is not written as four numbers is sent.',
    finder:
      'server/src/platform/outbound/guard.test.ts › nothing in a private range, spelled as IPv4, mapped or by NAT64',
  },
  {
    name: 'ssrf-mapped-address',
    file: 'server/src/platform/outbound/guard.ts',
    replace: [
      'const real = STANDS_FOR_IPV4.some((range) => isIn(address, range)) ? lastFourBytes(address) : address',
      'const real = address',
    ],
    fault: 'H1',
    breaks: 'A mapped or translated address is judged by its IPv6 form.',
    finder: 'server/src/platform/outbound/guard.test.ts › an exception opens its own range, in every form, and no more',
  },
  {
    name: 'ssrf-nat64-allowed',
    file: 'server/src/platform/outbound/guard.ts',
    replace: ["if (!isIn(address, GLOBAL_UNICAST)) return 'not global'", ''],
    fault: 'H1',
    breaks: 'A webhook to the loopback of IPv6 is sent.',
    finder: 'server/src/platform/outbound/guard.test.ts › only 2000::/3 of IPv6',
  },
  {
    name: 'ssrf-first-address-only',
    file: 'server/src/platform/outbound/connector.ts',
    replace: [
      'const reason = found.map(guard).find((refusal) => refusal !== null)',
      'const reason = found.slice(0, 1).map(guard).find((refusal) => refusal !== null)',
    ],
    fault: 'H1',
    breaks: 'A name with a public and a private address reaches the private one.',
    finder:
      'server/src/platform/outbound/ssrf.test.ts › as the answer of a name server, alone or beside a public address',
  },
  {
    name: 'ssrf-literal-address',
    file: 'server/src/platform/outbound/connector.ts',
    replace: [
      'const reason = isIP(options.hostname) === 0 ? null : guard(options.hostname)',
      'const reason = isIP(options.hostname) === 0 ? null : null',
    ],
    fault: 'H1',
    breaks: 'A webhook to a private address that is written in the URL is sent.',
    finder: 'server/src/platform/outbound/ssrf.test.ts › written into an http URL',
  },
  {
    name: 'disabled-merchant-signs',
    file: 'server/src/app/http/authentication.ts',
    replace: [
      'if (!merchant || merchant.disabled || !match) throw badSignature()',
      'if (!merchant || !match) throw badSignature()',
    ],
    fault: 'S8',
    breaks: 'A disabled merchant moves money.',
    finder:
      'server/src/app/http/signatures.test.ts › an unknown merchant, a disabled one, a wrong key and no UUID answer alike',
  },
  {
    name: 'expired-key-signs',
    file: 'server/src/app/http/authentication.ts',
    replace: [
      "purpose === 'api' && (expiresAt === null || expiresAt > now)",
      "purpose === 'api' && (expiresAt === null || expiresAt > 0)",
    ],
    fault: 'S6',
    breaks: 'A key that was replaced still moves money.',
    finder:
      'server/src/app/http/signatures.test.ts › both keys of a rotation, until the old one ends; a revoked one at once',
  },
  {
    name: 'body-not-signed',
    file: 'server/src/app/http/authentication.ts',
    replace: ['      .update(body)\n', ''],
    fault: 'P2',
    breaks: 'The amount of a signed request can be changed.',
    finder: 'server/src/app/http/signatures.test.ts › the merchant id may be written in capitals',
  },
  {
    name: 'old-timestamp',
    file: 'server/src/app/http/authentication.ts',
    replace: ['if (sent < seconds - window.maxAge) {', 'if (sent < 0) {'],
    fault: 'P2',
    breaks: 'A signed request can be repeated without end.',
    finder: 'server/src/app/http/signatures.test.ts › is judged before the merchant, and by whole seconds',
  },
  {
    name: 'signature-by-equality',
    file: 'server/src/adapters/acquirers/same-text.ts',
    replace: [
      'return a.length === b.length && timingSafeEqual(a, b)',
      'return given === expected && timingSafeEqual(a, b)',
    ],
    fault: 'P2',
    breaks: 'A signature is compared until the first difference, which tells how much of it is right.',
    finder: 'server/src/adapters/acquirers/same-text.test.ts › is compared in constant time, wherever it differs',
  },
  {
    name: 'webhook-out-of-order',
    file: 'server/src/merchants/webhooks/store.ts',
    replace: [
      '      order by e.sequence limit ${MOST_EVENTS}) e) as events',
      '      order by e.sequence desc limit ${MOST_EVENTS}) e) as events',
    ],
    fault: 'P2',
    breaks: 'A merchant hears the end of an object before its beginning.',
    finder:
      'server/src/merchants/webhooks/delivery.test.ts › stays the same for each object under random failures, with nothing lost and nothing twice',
  },
  {
    name: 'webhook-lease-ignored',
    file: 'server/src/merchants/webhooks/store.ts',
    replace: [
      'where not own_lane and next_at <= $1 and leased_until <= $2',
      'where not own_lane and next_at <= $1 and $2::timestamptz is not null',
    ],
    fault: 'C9',
    breaks: 'Two workers send the same notifications at once.',
    finder:
      'server/src/merchants/webhooks/store.test.ts › a claimed notification is claimed again when its lease has ended, and not before',
  },
  {
    name: 'webhook-added-event-lost',
    file: 'server/src/merchants/webhooks/store.ts',
    replace: ['and s.epoch = u.epoch and s.last_sequence < u.next', 'and s.epoch = u.epoch'],
    fault: 'C5',
    breaks: 'A notification that is stored while the one before is delivered is never sent.',
    finder:
      'server/src/merchants/webhooks/delivery.test.ts › an event whose transaction is still open when the one before it is acknowledged goes too',
  },
]
