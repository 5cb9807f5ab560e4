/**
 * An installation seen from outside: its secrets nowhere outside, its signatures by openssl and the reference of
 * Standard Webhooks, its totals by plain SQL.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { coresIn, foundIn, logsIn, rowsOf, secretsOf, type Place } from './searching.ts'
import { startSandbox, type Merchant, type Sandbox } from './sandbox.ts'

/**
 * Of the payer of an invoice, and the receivers of payouts. A merchant that writes a card number into `meta` or the
 * name of an invoice gets it back as it was given: such texts are not in this test.
 */
const CARDS = ['4242424242424242', '4000000000003063', '4000000000005555']
const GROUPED = '4242-4242 42424242'
const run = promisify(execFile)
const hasOpenssl = await run('openssl', ['version']).then(
  () => true,
  () => false,
)

let sandbox: Sandbox
let shop: Merchant
const pages: Place[] = []
beforeAll(async () => {
  sandbox = await startSandbox({ BURSAR_SCREENING: 'on' })
  shop = sandbox.merchants[0]
  await sandbox.credit(shop, 'UAH', '50000')
  await useEverything()
})
afterAll(() => sandbox?.stop())

const notified = (match: Record<string, unknown>) => sandbox.notified(shop, match)
const mailsTo = async () =>
  (await Promise.all(['boss@shop.example', 'payer@example.com'].map((to) => sandbox.mails(to)))).flat()
const page = async (name: string, url: string): Promise<void> =>
  void pages.push({ name, text: await (await fetch(url)).text() })

/** Deposits, withdrawals, invoices, card payments, card payouts, exchange, mails, operators' commands. */
const useEverything = async (): Promise<void> => {
  const { client } = shop
  await sandbox.bursar('merchant', 'set', shop.id, 'email', 'boss@shop.example')
  await sandbox.until(
    'mails to the merchant have begun',
    async () => (await sandbox.query('select 1 from mail_digests where merchant_id = $1', [shop.id]))[0],
  )
  const { address } = await client.addresses.create({ blockchain: 'ETHEREUM', meta: 'order 7' })
  await sandbox.verdict(address, 'clean')
  const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '250')
  await notified({ hash, status: 'Done' })
  const to = await sandbox.outside('ETHEREUM')
  const { id: withdrawal } = await client.withdrawals.crypto.create({
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to,
    amount: '20',
  })
  await notified({ id: withdrawal, status: 'Done' })
  for (const card of [CARDS[0]!, CARDS[2]!]) {
    const { id } = await client.withdrawals.fiat.create({ ticker: 'UAH', to: card, amount: '1000' })
    await notified({ id })
  }
  const { id: invoice, url } = (await client.invoices.fiat.create({
    name: 'Order 7',
    amount: { value: '100', ticker: 'UAH' },
    email: 'payer@example.com',
    toPendingImmediate: true,
  })) as unknown as { id: string; url: string }
  await page('the page of a fiat invoice', url)
  const { id: reference } = await sandbox.until(
    'a page of the bank',
    async () =>
      (
        await sandbox.query<{ id: string }>("select id from payments where invoice_id = $1 and state = 'open'", [
          invoice,
        ])
      )[0],
  )
  await sandbox.bank('pay', { reference, card: CARDS[1] })
  await notified({ id: invoice, status: 'Done' })
  // Mails about the day's deposits leave a quarter of an hour later.
  await sandbox.advance(16 * 60_000)
  await sandbox.until('a mail', async () => (await mailsTo())[0])
  // Refusals are logged, too.
  for (const wrong of [
    { ticker: 'UAH', to: `${CARDS[0]}1`, amount: '1000' },
    { ticker: 'UAH', to: CARDS[0]!, amount: GROUPED },
  ])
    await client.withdrawals.fiat.create(wrong).catch(() => undefined)
  await fetch(`${sandbox.api}/merchants/assets/crypto?card=${CARDS[0]}`)
  for (const command of [['merchant', 'show', shop.id], ['reconcile'], ['events', '--help'], ['doctor']])
    pages.push({ name: `bursar ${command.join(' ')}`, text: (await sandbox.bursar(...command)).text })
  pages.push({ name: 'the metrics of the worker', text: await sandbox.metrics() })
}

/** Where a secret belongs, with the reason. */
const BELONGS: readonly [where: RegExp, reason: string][] = [
  [/^the card .* in logs\/(?:bank|sandbox)/, 'of the imitated bank, which is no part of the platform'],
]

test('F10 K1 no secret and no card number is in logs, rows, webhooks, mails, pages, metrics or dumps of memory', async () => {
  const secrets = secretsOf(sandbox)
  expect(secrets.size).toBeGreaterThan(8)
  const { merchants, dir } = sandbox
  const webhooks = (await Promise.all(merchants.map((merchant) => sandbox.messages(merchant)))).flat()
  const mails = await mailsTo()
  const places: Place[] = [
    ...logsIn(dir),
    ...(await rowsOf(sandbox)),
    ...pages,
    ...webhooks.map((message) => ({ name: 'a webhook', text: JSON.stringify(message) })),
    ...mails.map((mail) => ({ name: 'a mail', text: JSON.stringify(mail) })),
  ]
  // oxlint-disable-next-line no-console
  console.log(
    `searched for ${secrets.size} secrets (${[...secrets.keys()].join(', ')}) and ${CARDS.length} card numbers in ${places
      .map(({ name, text }) => `${name} (${text.length})`)
      .join(', ')}`,
  )
  expect(webhooks.length).toBeGreaterThan(4)
  expect(mails.length).toBeGreaterThan(0)
  expect(foundIn(places, secrets, CARDS).filter((found) => !BELONGS.some(([where]) => where.test(found)))).toEqual([])
  expect(coresIn([dir, process.cwd()])).toEqual([])
  // The search finds a secret that is there: the same places with one secret and one card put into a row.
  const planted = [
    { name: 'a row', text: `${[...secrets.values()][0]} ${CARDS[0]!.replaceAll(/(\d{4})(?=\d)/g, '$1-')}` },
  ]
  expect(foundIn(planted, secrets, CARDS)).toHaveLength(2)
})

/** The message and its signature as docs/contract.md 6 says it: `POST`, host and path, body, timestamp. */
const BY_OPENSSL = `set -eu
key=$(printf %s "$KEY" | od -An -v -tx1 | tr -d ' \\n')
printf '%s%s%s%s' "$METHOD" "$TARGET" "$BODY" "$TIMESTAMP" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" | sed 's/.*= //'`
const byOpenssl = async (
  KEY: string,
  METHOD: string,
  TARGET: string,
  BODY: string,
  TIMESTAMP: string,
): Promise<string> => {
  const env = { PATH: process.env['PATH'], KEY, METHOD, TARGET, BODY, TIMESTAMP }
  return (await run('sh', ['-c', BY_OPENSSL], { env })).stdout.trim()
}

test('every webhook has the signature that the reference of Standard Webhooks makes', async () => {
  for (const merchant of sandbox.merchants) {
    const reference = new Webhook(merchant.webhookSecret)
    for (const { headers, body } of await sandbox.messages(merchant)) {
      const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
      expect(headers['webhook-signature']!.split(' ')).toContain(reference.sign(headers['webhook-id']!, at, body))
    }
  }
})

test.skipIf(!hasOpenssl)(
  'every webhook has the signature that openssl makes of the message of the contract',
  async () => {
    const messages = await sandbox.messages(shop)
    const { host, pathname, search } = new URL(shop.notificationsUrl)
    for (const { headers, body } of messages)
      expect(await byOpenssl(shop.privateKey, 'POST', host + pathname + search, body, headers['timestamp']!)).toBe(
        headers['signature'],
      )
  },
)

test.skipIf(!hasOpenssl)(
  'a request that openssl signs by the contract is served, and refused with one byte changed',
  async () => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const body = '{"blockchain":"ETHEREUM", "meta":"кав\\u0027ярня"}'
    const signature = await byOpenssl(shop.privateKey, 'POST', '/merchants/addresses', body, timestamp)
    const ask = (given: string) =>
      fetch(`${sandbox.api}/merchants/addresses`, {
        method: 'POST',
        headers: { 'merchant-id': shop.id, signature, timestamp, 'content-type': 'application/json' },
        body: given,
      })
    expect((await ask(body)).status).toBe(200)
    expect((await ask(body.replace('ярня', 'ярні'))).status).toBe(401)
  },
)

/** Entries added up again, without a view, function or stored sum of the platform: one row for each account. */
const SUMS = `select a.merchant_id::text as owner, a.kind, a.asset, sum(e.posted)::text as posted, sum(e.held)::text as held
  from ledger_entries e join ledger_accounts a on a.id = e.account_id group by 1, 2, 3`
interface Sum {
  owner: string
  kind: string
  asset: string
  posted: string
  held: string
}

test('balances that the api shows, and the zero of the books, are the sums of entries by plain SQL', async () => {
  const { sums, balances } = await sandbox.until('two readings of the books between which nothing moved', async () => {
    const before = await sandbox.query<Sum>(SUMS)
    const balances = await shop.client.balances.list(['USDT', 'UAH', 'BTC'])
    const sums = await sandbox.query<Sum>(SUMS)
    return JSON.stringify(before) === JSON.stringify(sums) && { sums, balances }
  })
  const perAsset = Map.groupBy(sums, ({ asset }) => asset)
  expect([...perAsset.keys()].toSorted()).toEqual(expect.arrayContaining(['UAH', 'USDT']))
  for (const [asset, all] of perAsset) expect([asset, total(all)]).toEqual([asset, 0n])
  // Ledger units of a whole: 1/100 of a hryvnia, and as many decimals as the network with most has.
  for (const { ticker, value } of balances) {
    const own = sums.find((sum) => sum.owner === shop.id && sum.kind === 'merchant' && sum.asset === ticker)
    const [whole = '', fraction = ''] = value.split('.')
    const scale = ticker === 'UAH' ? 2 : ticker === 'BTC' ? 8 : 18
    expect([ticker, BigInt(whole + fraction.padEnd(scale, '0'))]).toEqual([
      ticker,
      own === undefined ? 0n : BigInt(own.posted) - BigInt(own.held),
    ])
  }
  const { text } = await sandbox.until('a reconciliation in which all agrees', async () => {
    const answer = await sandbox.bursar('reconcile')
    return answer.code === 0 && answer
  })
  expect(text).toContain('the chains agree')
})

const total = (sums: readonly Sum[]): bigint => sums.reduce((all, { posted }) => all + BigInt(posted), 0n)
