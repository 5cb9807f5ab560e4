/**
 * How providers refuse for the rate of questions, as data. Double of row E-59 of docs/dialects.md. Only tests of these
 * adapters use it.
 */
export interface Refusal {
  status: number
  headers?: Record<string, string>
  /** `ID` stands for the question's id */
  body: string
}

export const error = (code: number, message: string, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 'ID', error: { code, message, ...more } }).replace('"ID"', 'ID')

/**
 * Providers, their refusals, and the pause in ms that the adapter waits. Sources: Infura's documents of rate limits and
 * MetaMask/eth-json-rpc-infura#33; gakonst/ethers-rs#1711; base/node#368 and #390; status-im/nimbus-eth2#1632;
 * QuickNode's and Alchemy's error references; fluencelabs/dev-rewards#20 (Tenderly); RFC 9110 for Retry-After. Ankr's
 * wording is from memory.
 */
export const PROVIDERS: readonly [who: string, refusal: Refusal, pauseMs: number][] = [
  ['429 with Retry-After in seconds', { status: 429, headers: { 'retry-after': '3' }, body: '' }, 3_000],
  [
    '429 with Retry-After as a date',
    {
      status: 429,
      headers: { 'retry-after': 'Mon, 02 Nov 2026 10:00:07 GMT', date: 'Mon, 02 Nov 2026 10:00:00 GMT' },
      body: 'slow down',
    },
    7_000,
  ],
  [
    '429 without a pause, an error without an id',
    { status: 429, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit exceeded"}}' },
    1_000,
  ],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '2' }, body: 'busy' }, 2_000],
  [
    'Infura: backoff_seconds',
    {
      status: 200,
      body: error(-32005, 'daily request count exceeded, request rate limited', {
        data: { rate: { allowed_rps: 1, backoff_seconds: 4, current_rps: 1.1 } },
      }),
    },
    4_000,
  ],
  ['Infura: project', { status: 200, body: error(-32005, 'project ID request rate exceeded') }, 1_000],
  ['base.org: -32016', { status: 200, body: error(-32016, 'over rate limit') }, 1_000],
  [
    'Alchemy: 429 in JSON',
    { status: 200, body: error(429, 'Your app has exceeded its compute units per second capacity') },
    1_000,
  ],
  [
    'QuickNode: -32007',
    { status: 200, body: error(-32007, '50/second request limit reached - reduce calls per second or upgrade') },
    1_000,
  ],
  [
    'Ankr: retry in',
    { status: 200, body: error(-32090, 'Too many requests, reason: call rate limit exhausted, retry in 9s') },
    9_000,
  ],
  ['EIP-1474', { status: 200, body: error(-32005, 'limit exceeded') }, 1_000],
]
