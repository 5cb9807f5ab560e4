-- Payments by card on an acquirer's page. One row is one order with one acquirer, under our own reference, for ever: another
-- try of the same invoice is another row.
create table payments (
  merchant_id uuid not null,
  -- our reference with the acquirer
  id uuid not null,
  invoice_id uuid not null,
  acquirer text not null,
  -- acquirers that did not take this order before
  tried text[] not null,
  ticker text not null,
  -- what is asked for
  units numeric(78, 0) not null check (units > 0),
  description text not null,
  email text,
  language text not null,
  return_url text not null,
  expires_at timestamptz not null,
  state text not null,
  -- how the payer's browser gets to the acquirer's page, as JSON
  page text,
  acquirer_reference text,
  -- what came in, once it has
  paid_ticker text,
  paid_units numeric(78, 0),
  -- what the acquirer kept, as booked
  cost_units numeric(78, 0) not null default 0,
  -- our fee, as booked
  fee_units numeric(78, 0) not null default 0,
  masked_card text,
  -- the acquirer's reason of a refusal
  refusal_code text,
  refusal_message text,
  -- why the money is in suspense
  suspended_for text,
  -- given back or being given back, of what came in
  refunded_units numeric(78, 0) not null default 0,
  -- how often the acquirer was asked since it was last heard of
  asked integer not null default 0,
  -- null: not until the acquirer calls
  next_step_at timestamptz,
  epoch bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (refunded_units >= 0 and (paid_units is null or refunded_units <= paid_units))
) with (fillfactor = 70);
create unique index payments_reference on payments (id);
create index payments_due on payments (next_step_at) where next_step_at is not null;
create index payments_invoice on payments (merchant_id, invoice_id);

-- Signed callbacks as they came, each text once.
create table acquirer_callbacks (
  acquirer text not null,
  digest bytea not null,
  reference text not null,
  state jsonb not null,
  received_at timestamptz not null,
  times integer not null default 1,
  primary key (acquirer, digest)
);
create index acquirer_callbacks_reference on acquirer_callbacks (reference);
create index acquirer_callbacks_age on acquirer_callbacks (received_at);

-- Money of a payment on its way back to the payer's card.
create table payment_refunds (
  merchant_id uuid not null,
  -- our reference of the refund with the acquirer: a repetition is the same refund
  id uuid not null,
  payment_id uuid not null,
  acquirer text not null,
  ticker text not null,
  units numeric(78, 0) not null check (units > 0),
  -- 'merchant' or 'suspense': whose account gives it
  source text not null,
  hold_id uuid not null,
  state text not null,
  reason text not null,
  actor text not null,
  message text,
  next_step_at timestamptz,
  epoch bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index payment_refunds_reference on payment_refunds (id);
create index payment_refunds_payment on payment_refunds (merchant_id, payment_id);
create index payment_refunds_due on payment_refunds (next_step_at) where next_step_at is not null;

-- Fiat invoices (`contract.md` 5.18 to 5.20).
create table fiat_invoices (
  merchant_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  meta text,
  email text,
  redirect_url text,
  -- null: the payer chooses
  ticker text,
  units numeric(78, 0) check (units > 0),
  state text not null,
  paid_units numeric(78, 0),
  fee_units numeric(78, 0),
  masked_card text,
  error_code integer,
  error_message text,
  -- its newest payment
  payment_id uuid,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (units is null or ticker is not null)
) with (fillfactor = 70);
create unique index fiat_invoices_id on fiat_invoices (id);
create index fiat_invoices_open on fiat_invoices (expires_at) where state in ('created', 'pending', 'paid');
