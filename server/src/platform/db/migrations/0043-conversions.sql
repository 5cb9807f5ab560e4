-- What received money becomes (`contract.md` 4.1): of an address, a crypto invoice or a fiat invoice.
create table targets (
  merchant_id uuid not null,
  owner_id uuid not null,
  owner_kind text not null check (owner_kind in ('address', 'crypto-invoice', 'fiat-invoice')),
  ticker text not null,
  address text,
  blockchain text,
  primary key (merchant_id, owner_id),
  check ((address is null) = (blockchain is null))
);

-- Received money on its way to become its target. `units` are what is left to convert, ledger units of `ticker`.
create table conversions (
  merchant_id uuid not null,
  -- the deposit's or the payment's
  id uuid not null,
  caused_by text not null check (caused_by in ('fiat-invoice', 'crypto-invoice', 'crypto-replenishment')),
  -- the invoice, or the deposit: the localId of what it is told as
  cause_id uuid not null,
  ticker text not null,
  units numeric(78, 0) not null check (units >= 0),
  target_ticker text not null,
  address text,
  blockchain text,
  state text not null check (state in ('waiting', 'done', 'failed')),
  failed_reason text,
  next_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index conversions_waiting on conversions (next_at) where state = 'waiting';
