-- Transfers of what the hot wallets hold too much to the operator's cold addresses. The transaction is an `outgoing` in the
-- state `offered` until its signed bytes are imported.
create table cold_transfers (
  -- the transaction of `outgoing`
  id uuid primary key,
  network text not null,
  asset text not null,
  -- ledger units
  units numeric(78, 0) not null check (units > 0),
  to_address text not null,
  -- no longer imported after this
  expires_at timestamptz not null,
  imported_at timestamptz,
  -- why nothing came of it
  ended text check (ended in ('cancelled', 'expired', 'overtaken')),
  created_at timestamptz not null
);
create index cold_transfers_newest on cold_transfers (network, asset, created_at);

-- What the network took from cold addresses for transactions of the operator's: a cost, which a lost block takes back.
create table cold_fees (
  network text not null,
  transaction text not null,
  asset text not null,
  address text not null,
  -- ledger units
  units numeric(78, 0) not null,
  block_height bigint not null,
  primary key (network, transaction)
);
create index cold_fees_height on cold_fees (network, block_height);
