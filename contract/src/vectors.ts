/** Signature test vectors of `contract.md` section 3. */
export interface SignatureVector {
  readonly name: string
  /** The function that takes the parts: `requestMessage` or `notificationMessage`. */
  readonly form: 'request' | 'notification'
  readonly method: string
  /** A request's target; a notification's host followed by its path. */
  readonly target: string
  readonly body: string
  readonly timestamp: string
  readonly key: string
  /** All 64 hex digits, or the first 22 when every published copy is truncated there. */
  readonly signature: string
  /** `published`: by the API's documentation or a client. `computed`: with the algorithm that those confirm. */
  readonly source: 'published' | 'computed'
}

const key = 'private-key'
const timestamp = '1677486443'

const published = (name: string, method: string, target: string, body: string, signature: string): SignatureVector => ({
  name,
  form: 'request',
  method,
  target,
  body,
  timestamp,
  key,
  signature,
  source: 'published',
})

const computed = (method: string, target: string, signature: string): SignatureVector => ({
  name: `${method} ${target}`,
  form: 'request',
  method,
  target,
  body: '',
  timestamp,
  key,
  signature,
  source: 'computed',
})

export const signatureVectors: readonly SignatureVector[] = [
  published(
    'permanent address',
    'POST',
    '/merchants/addresses',
    '{"blockchain":"BITCOIN", "meta":"your-info"}',
    'd1aeccfe32e4adf499be5777f38cd643a2a2c06a929f1f328d9809b9f8f8509e',
  ),
  published(
    'rotating address',
    'POST',
    '/merchants/rotating-addresses',
    '{"blockchain":"BITCOIN", "meta":"your-info", "duration":"123145513"}',
    '2b3cb49ec7e03f7b53df43aea92977ef22d2ed5e8fff4ecd0696bf3906c070ea',
  ),
  published(
    'crypto withdrawal',
    'POST',
    '/merchants/withdrawals/crypto',
    '{"ticker":"USDT", "blockchain":"TRON", "to":"THPvaUhoh2Qn2y9THCZML3H815hhFhn5YCw", "amount":"12.000", ' +
      '"meta":"your-info"}',
    '47e1044d1116fae66dafa5af595170b7b2a63d5c169e8c030a0787b6b8095a23',
  ),
  published(
    'crypto withdrawal fee',
    'GET',
    '/merchants/withdrawals/crypto/fee?ticker=USDT&amount=12.00&blockchain=TRON',
    '',
    '80024504f409906c1bc9359bb943847eed0c9f8f5bfe83b9b5f5c8155e44e404',
  ),
  published('crypto assets, cut off', 'GET', '/merchants/assets/crypto', '', 'a6351a236ac09284b9c31c'),
  {
    name: "a client's own test",
    form: 'request',
    method: 'GET',
    target: 'http://localhost',
    body: '',
    timestamp: '3332211',
    key: '123',
    source: 'published',
    signature: '87d373924738e85fbd13b4a9932276e894eaea4ac46092464199ca1713dea306',
  },
  computed('GET', '/merchants/assets/crypto', 'a6351a236ac09284b9c31c1037a1b75541c2ca98b6ad2680f26bb4bb93c25751'),
  computed('GET', '/merchants/assets/crypto/', 'ea0ee1f91bbfa5e9ed07a2ec7d0b6a169a2420cabbf32a2e18988bfdf930b47d'),
  computed('GET', '/merchants/assets/fiat', '95b15332d483b522789ce68790900aa6f22ddcce134bd876119ec2a10b6637d3'),
  computed(
    'GET',
    '/merchants/balances?tickers=UAH%2CUSDT%2CBTC',
    '43b8370c39d1cba783045f776a4600ad5b7fc28655c002e09b5374d85ba34c1e',
  ),
  computed(
    'GET',
    '/merchants/balances?tickers=UAH,USDT,BTC',
    'd652477747e9f1542f5348d670d291f8613c6da08d027bf91d3ca967502834c5',
  ),
  computed(
    'GET',
    '/merchants/withdrawals/crypto/fee?address=undefined&blockchain=TRON&ticker=USDT&amount=12.00',
    'c7a4c572128d2cf97b07ff11d13d38d09ce19f6f665b765f80ce4e79e7ba9549',
  ),
  computed(
    'GET',
    '/merchants/exchange/available-directions',
    '99aedc6f6e90cfcd6b9b7978dfcb58faf41780db6da8f6dbd5f8cd9b6428917e',
  ),
  computed(
    'GET',
    '/merchants/exchange/available-directions/',
    '030c3e49b13574e4a675c2ca1d539e7dbb334b2ed349892cd7a89aa302847fa9',
  ),
  computed(
    'GET',
    '/merchants/invoices/crypto/123e4567-e89b-12d3-a456-426614174000',
    'a9df09e262ed2f450ea4cd341436a0771823020b9b10ba5f942f01d7e0adba63',
  ),
  computed(
    'POST',
    '/merchants/invoices/crypto/123e4567-e89b-12d3-a456-426614174000/close',
    '5d999ef1be1f0ac0943e1574131963b079d45a6037700f44f82b653291def7ab',
  ),
  {
    name: 'notification',
    form: 'notification',
    method: 'POST',
    target: 'domain.com/webhooks/0xpay',
    timestamp,
    key,
    body: '{"id":"8c12e071-cd00-439d-90c0-74a8c2f96da2","status":"Pending","kind":"Replenish"}',
    source: 'computed',
    signature: '7ad6231112a81b50d649a9a5a3d98277d05c7c930f4d922d3a960850dd9d07fa',
  },
  // The documentation's Authorization page shows this request without its signature.
  {
    name: 'body printed over several lines',
    form: 'request',
    method: 'POST',
    target: '/merchants/addresses',
    body: '{\n  "meta": "<my-user-id>",\n  "blockchain": "BITCOIN"\n}',
    timestamp: '1650289480',
    key: 'bd4c0f27382cbdf0c52318a99308fc6d',
    source: 'computed',
    signature: 'a577cf6c87a38ee121862dc784ce62d8cc9a18a43082ed2156a9f0fbfc016883',
  },
  {
    name: 'body in one line',
    form: 'request',
    method: 'POST',
    target: '/merchants/addresses',
    body: '{"meta":"<my-user-id>","blockchain":"BITCOIN"}',
    timestamp: '1650289480',
    key: 'bd4c0f27382cbdf0c52318a99308fc6d',
    source: 'computed',
    signature: '3fcd6d3f0a5122b98a43fa7dc8d3168bfa2ebb5059be0ca0c97b83a2cf960bfd',
  },
]
