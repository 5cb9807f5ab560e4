import type { DialectRow } from './row.ts'

/** Acquirers (A), screening (S), the venue (V) and rates (R). */
export const COUNTERPARTY_ROWS: readonly DialectRow[] = [
  {
    id: 'A-1',
    behaviour:
      'status by order id shows the newest operation: after revoke the refund, negative amount, own id and status',
    who: 'Freedom Pay',
    source: 'a third-party client or emulator',
    adapter: 'ask by payment id; negative = not it',
  },
  {
    id: 'A-2',
    behaviour:
      'payment stays `success` after a whole refund; sums tell (`pg_refund_amount` -N, also `pg_revoked_amount`, `pg_revoke_amount`)',
    who: 'Freedom Pay',
    source: "a third-party client or emulator; the vendor's documentation",
    adapter: 'read sums',
  },
  {
    id: 'A-3',
    behaviour:
      'refund answered `ok`, then `process` for a while, or `error` later; failed ones stay listed, not in the sum',
    who: 'Freedom Pay',
    source: "a third-party client or emulator; the vendor's documentation",
    adapter: "each refund's status",
  },
  {
    id: 'A-4',
    behaviour: 'refund visible in the status only some time after `ok`',
    who: 'Freedom Pay',
    source: 'a third-party client or emulator',
    adapter: "wait, don't repeat",
  },
  {
    id: 'A-5',
    behaviour: 'revoke answered with an error though it was made; repetition "wrong status of payment"',
    who: 'Freedom Pay',
    source: 'a third-party client or emulator',
    adapter: 'ask, never conclude',
  },
  {
    id: 'A-6',
    behaviour: 'order answered with an error now, success by callback later ("silent hold"); 100/120 "technical error"',
    who: 'Freedom Pay',
    source: 'a third-party client or emulator',
    adapter: 'error ≠ refused',
    verdict:
      'holds for payouts and refunds; an order for a page is passed on after an error, as no payer has seen the page, and money that comes for it is posted all the same',
  },
  {
    id: 'A-7',
    behaviour:
      'codes: 10009/11006/8888 no money, 10007/10010 issuer, 10005 data, 10017 expired, 10006 limit, 10001 issuer fault, **9992 unexpected**',
    who: 'Freedom Pay',
    source: 'a third-party client or emulator',
    adapter: '9992 is unknown',
  },
  {
    id: 'A-8',
    behaviour: 'nested blocks are signed in place, children by name; unknown fields too; 9998 comes unsigned',
    who: 'Freedom Pay',
    source: 'a third-party client or emulator',
    adapter: 'recursive signature',
  },
  {
    id: 'A-9',
    behaviour: 'numbers without decimals (`10`), dates local or RFC 3339, PAN `5483-18XX-XXXX-0293`',
    who: 'Freedom Pay',
    source: "the vendor's documentation",
    adapter: 'tolerate',
  },
  {
    id: 'A-10',
    behaviour: 'empty 200, cut XML/JSON, HTML, byte-wise body, reset after the order',
    who: 'all',
    source: 'a third-party client or emulator',
    adapter: 'sent = unknown',
  },
  {
    id: 'A-11',
    behaviour: 'callback before the answer to the order; twice; for an unknown order; fields missing',
    who: 'all',
    source: 'a third-party client or emulator',
    adapter: 'any order',
  },
  {
    id: 'A-12',
    behaviour: 'payout states success/process/error only; no test mode',
    who: 'Freedom Pay',
    source: 'a third-party client or emulator',
    adapter: 'nothing to do',
  },
  {
    id: 'A-13',
    behaviour: "`RefundInProcessing` 1138 while the shop's balance is short",
    who: 'WayForPay',
    source: "the vendor's documentation",
    adapter: 'waiting',
  },
  {
    id: 'A-14',
    behaviour:
      'statuses inProcessing, WaitingAuthComplete, Approved, Pending, Expired, Refunded/Voided, Declined, RefundInProcessing; `Created` (C); either case',
    who: 'WayForPay',
    source: "the vendor's documentation",
    adapter: 'nothing to do',
  },
  {
    id: 'A-15',
    behaviour: 'partial void 1141; refunds in the cabinet tell no sum',
    who: 'WayForPay',
    source: 'a third-party client or emulator',
    adapter: 'nothing to do',
    verdict: 'holds; a part is never sent, so that 1141 is met only as the answer to a whole refund',
  },
  {
    id: 'A-16',
    behaviour: '`success` + `wait_reserve_status` as `true`, `"true"` or absent; refund from future payments',
    who: 'LiqPay',
    source: "the vendor's documentation; a third-party client or emulator",
    adapter: 'waiting',
    verdict:
      'holds where the flag is there; a part without it is unknown instead of waiting: not sent again (decision 88), with the alert after an hour',
  },
  {
    id: 'A-17',
    behaviour: '`wait_reserve_status`, numbers and dates change type between answers (text, number, ms)',
    who: 'LiqPay',
    source: 'a third-party client or emulator',
    adapter: 'tolerate',
  },
  {
    id: 'A-18',
    behaviour: 'several payments (payment_id) under one order_id after a failure',
    who: 'LiqPay',
    source: 'from memory, not checked',
    adapter: 'not final while page is open',
  },
  {
    id: 'S-1',
    behaviour: '`result: false` + description with HTTP 200; Cloudflare 403 HTML for IPs not listed',
    who: 'AMLBot',
    source: 'a third-party client or emulator',
    adapter: 'unavailable',
  },
  {
    id: 'S-2',
    behaviour: "pending with uid, recheck md5(uid:key:id); tokens under the coin's name (USDT-TRC20 = TRX)",
    who: 'AMLBot',
    source: 'a third-party client or emulator',
    adapter: 'nothing to do',
  },
  {
    id: 'S-3',
    behaviour:
      '`riskscore` number 0..1 (other languages parse text too), `updated_at` s, maps possibly `[]`; `blackListsConnections` beside `hasBlackListFlag`',
    who: 'AMLBot',
    source: 'a third-party client or emulator',
    adapter: 'tolerate `[]`',
  },
  {
    id: 'V-1',
    behaviour: '5xx, -1006, -1007: executed or not; GET order from memory, then database',
    who: 'Binance',
    source: "the vendor's documentation",
    adapter: 'ask',
    verdict: 'holds; that GET order looks into memory first is not emulated, an order that arrives late is',
  },
  {
    id: 'V-2',
    behaviour: '-1021 both ways (late; 1 s ahead)',
    who: 'Binance',
    source: "the vendor's documentation",
    adapter: 'not taken',
  },
  {
    id: 'V-3',
    behaviour:
      'IOC rest `EXPIRED`; STP `EXPIRED_IN_MATCH`; price range rule `EXPIRED` + `expiryReason` with fills before',
    who: 'Binance',
    source: "the vendor's documentation",
    adapter: 'closed, read fills',
  },
  {
    id: 'V-4',
    behaviour:
      '-2010 with many texts (Duplicate, insufficient, Market is closed, disabled account); -2013; -2026 archived after 90 days',
    who: 'Binance',
    source: "the vendor's documentation",
    adapter: 'nothing to do',
  },
  {
    id: 'V-5',
    behaviour: '429 with/without Retry-After, 418 ban 2 min - 3 days by IP (rates and hedging share it), 403 WAF HTML',
    who: 'Binance',
    source: "the vendor's documentation",
    adapter: 'back off by IP',
  },
  {
    id: 'V-6',
    behaviour: 'LOT_SIZE max, PERCENT_PRICE, MAX_POSITION refuse -1013',
    who: 'Binance',
    source: "the vendor's documentation",
    adapter: 'refused',
  },
  {
    id: 'R-1',
    behaviour: "NBU's rate carries tomorrow's (Friday: Monday's) date from 16:00",
    who: 'NBU',
    source: "the vendor's documentation",
    adapter: 'allow future',
  },
]
