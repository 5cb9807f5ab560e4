-- What the house can still sell of an asset: the sum over chunks is the sum of the ledger's `position` accounts. In chunks, so
-- that exchanges of one asset don't wait for each other.
create table exchange_inventory (
  asset text not null,
  chunk smallint not null,
  units numeric(78, 0) not null check (units >= 0),
  primary key (asset, chunk)
);

-- Prices that estimates gave and that are honoured once: amounts in ledger units, prices in 1e-8 of the pair's second for one
-- first. `market` is without the spread.
create table exchange_quotes (
  merchant_id uuid not null,
  id uuid not null,
  spend_ticker text not null,
  target_ticker text not null,
  side text not null check (side in ('target', 'spend')),
  amount numeric(78, 0) not null,
  price numeric(78, 0) not null,
  market numeric(78, 0) not null,
  target_units numeric(78, 0) not null,
  basis jsonb not null,
  expires_at timestamptz not null,
  primary key (merchant_id, id)
);
create index exchange_quotes_target on exchange_quotes (target_ticker, expires_at);
create index exchange_quotes_expiry on exchange_quotes (expires_at);

create table exchanges (
  merchant_id uuid not null,
  id uuid not null,
  spend_ticker text not null,
  target_ticker text not null,
  side text not null check (side in ('target', 'spend')),
  exchange_units numeric(78, 0) not null check (exchange_units > 0),
  fee_units numeric(78, 0) not null check (fee_units >= 0),
  target_units numeric(78, 0) not null check (target_units > 0),
  -- 1e-8 of the pair's second for one first; `market_price` is without the spread
  pair_first text not null,
  pair_second text not null,
  price numeric(78, 0) not null check (price > 0),
  market_price numeric(78, 0) not null check (market_price > 0),
  -- of each leg its middle, the sources of its books and when it was read
  basis jsonb not null,
  state text not null check (state in ('done', 'failed')),
  failed_reason text,
  local_id text,
  meta text,
  transfer_id uuid,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index exchanges_created on exchanges (created_at);
