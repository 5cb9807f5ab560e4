-- What merchants ask payers for in crypto (`contract.md` 5.14). Units are the ledger's; prices and fiat amounts are units of
-- 1e-18. What is null of ticker, blockchain and units the payer chooses.
create table crypto_invoices (
  merchant_id uuid not null,
  id uuid not null,
  state text not null check (state in ('created', 'registered', 'pending', 'paid', 'expired')),
  name text not null,
  description text,
  meta text,
  email text,
  redirect_url text,
  -- the payer's, once known: mails are written in it
  language text,
  ticker text,
  blockchain text,
  units numeric(78, 0) check (units > 0),
  base_ticker text,
  base_e18 numeric(78, 0) check (base_e18 > 0),
  -- the quote in force: base currency for one whole unit of the asset. Of the one before, what is on its way still counts
  price_e18 numeric(78, 0) check (price_e18 > 0),
  quoted_at timestamptz,
  quote_until timestamptz,
  previous_price_e18 numeric(78, 0) check (previous_price_e18 > 0),
  address text,
  address_id uuid,
  -- sums over its payments: credited, their fees and their worth; seen and not yet credited
  paid_units numeric(78, 0) not null default 0 check (paid_units >= 0),
  fee_units numeric(78, 0) not null default 0 check (fee_units >= 0),
  paid_base_e18 numeric(78, 0) not null default 0 check (paid_base_e18 >= 0),
  waiting_units numeric(78, 0) not null default 0 check (waiting_units >= 0),
  -- payments seen in time that may still come: it does not expire before they have
  waiting_in_time integer not null default 0 check (waiting_in_time >= 0),
  -- its money went back to the payer: it will not be paid any more
  refunded boolean not null default false,
  client_expires_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  -- when it became what it is
  moved_at timestamptz not null,
  primary key (merchant_id, id),
  check ((base_ticker is null) = (base_e18 is null)),
  check ((address is null) = (address_id is null)),
  check (state in ('created', 'expired') or (ticker is not null and blockchain is not null and units is not null and address is not null)),
  check (base_ticker is null or units is null or (price_e18 is not null and quoted_at is not null and quote_until is not null))
) with (fillfactor = 70);
-- The payer's page knows the id alone.
create unique index crypto_invoices_id on crypto_invoices (id);
create unique index crypto_invoices_address on crypto_invoices (merchant_id, address_id) where address_id is not null;
create index crypto_invoices_ending on crypto_invoices (expires_at) where state in ('created', 'registered', 'pending') and waiting_in_time = 0;
create index crypto_invoices_quotes on crypto_invoices (quote_until) where state in ('registered', 'pending') and base_ticker is not null;

-- Deposits that count toward an invoice: in its asset, on its network, at its address.
create table crypto_invoice_payments (
  merchant_id uuid not null,
  deposit_id uuid not null,
  invoice_id uuid not null,
  units numeric(78, 0) not null check (units > 0),
  fee_units numeric(78, 0) not null check (fee_units between 0 and units),
  state text not null check (state in ('waiting', 'credited', 'lost')),
  -- seen after the invoice had ended
  late boolean not null,
  -- the merchant has been told of it: as an ordinary deposit, or by the notification of an end that counted it
  told boolean not null,
  -- what it is worth in the base currency, fixed when it is seen; null where there was no price, until there is one
  price_e18 numeric(78, 0) check (price_e18 > 0),
  unvalued boolean not null,
  arrived_at timestamptz not null,
  primary key (merchant_id, deposit_id)
);
create index crypto_invoice_payments_invoice on crypto_invoice_payments (merchant_id, invoice_id);
create index crypto_invoice_payments_unvalued on crypto_invoice_payments (arrived_at) where unvalued;

-- What payers of underpaid invoices ask to have back. The merchant decides; an approved one is an ordinary withdrawal.
create table refund_claims (
  merchant_id uuid not null,
  id uuid not null,
  invoice_id uuid not null,
  state text not null check (state in ('requested', 'approved', 'refused')),
  refund_address text not null,
  -- what the receiver gets, and the withdrawal that brings it; null until approved
  units numeric(78, 0) check (units > 0),
  withdrawal_id uuid,
  -- the merchant's words to the payer
  note text,
  requested_at timestamptz not null,
  decided_at timestamptz,
  primary key (merchant_id, id),
  check ((state = 'approved') = (withdrawal_id is not null)),
  check ((state = 'requested') = (decided_at is null))
);
create unique index refund_claims_open on refund_claims (merchant_id, invoice_id) where state in ('requested', 'approved');
create index refund_claims_waiting on refund_claims (requested_at) where state = 'requested';
