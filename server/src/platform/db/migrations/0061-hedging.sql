-- Orders on a venue. Amounts and prices in 1e-18: of the base, and of the quote for one base. The client id is the row's id without
-- dashes, written before the venue hears of it.
create table hedge_orders (
  id uuid primary key,
  venue text not null,
  -- what is hedged: the base or the quote, the other one being USDT
  asset text not null,
  base text not null,
  quote text not null,
  side text not null check (side in ('buy', 'sell')),
  amount numeric(78, 0) not null check (amount > 0),
  price numeric(78, 0) not null check (price > 0),
  -- the middle of our own sources when it was decided
  middle numeric(78, 0) not null check (middle > 0),
  -- what it spends is reserved in the inventory: ledger units that are left of that
  spends text not null,
  reserved numeric(78, 0) not null check (reserved >= 0),
  executed numeric(78, 0) not null default 0,
  state text not null check (state in ('sending', 'open', 'filled', 'partly-filled', 'cancelled', 'rejected', 'lapsed')),
  reason text,
  -- real time: the request's own, and for how long the venue may take it
  placed_at timestamptz not null,
  valid_ms integer not null,
  -- business time
  asks integer not null default 0,
  next_ask_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (reserved = 0 or state in ('sending', 'open'))
);
-- One order an asset at a time: what is not known yet is never hedged twice.
create unique index hedge_orders_one_open on hedge_orders (venue, asset) where state in ('sending', 'open');
create index hedge_orders_asset on hedge_orders (venue, asset, created_at desc);
create index hedge_orders_created on hedge_orders (created_at);

create table hedge_fills (
  venue text not null,
  base text not null,
  quote text not null,
  trade_id text not null,
  order_id uuid not null references hedge_orders (id),
  amount numeric(78, 0) not null check (amount > 0),
  price numeric(78, 0) not null check (price > 0),
  cost numeric(78, 0) not null check (cost >= 0),
  fee_asset text,
  fee numeric(78, 0) not null default 0,
  transfer_id uuid not null,
  traded_at timestamptz not null,
  primary key (venue, base, quote, trade_id)
);
create index hedge_fills_order on hedge_fills (order_id);

-- What hedges have moved of each asset, as exchanges are counted in exchange_inventory: ledger units, values in 1e-18 USDT. `slippage` is
-- what was paid over the middle when the order was decided, or got under it.
create table hedge_flows (
  asset text primary key,
  bought_units numeric(78, 0) not null default 0,
  bought_value numeric(78, 0) not null default 0,
  sold_units numeric(78, 0) not null default 0,
  sold_value numeric(78, 0) not null default 0,
  fees_value numeric(78, 0) not null default 0,
  slippage numeric(78, 0) not null default 0,
  fills bigint not null default 0
);

-- The kill switch: while one is not lifted no order is placed.
create table hedge_stops (
  id uuid primary key,
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  lifted_at timestamptz,
  lifted_by text
);

-- What a venue said it holds for us, beside the books at the same moment; ledger units.
create table venue_balances (
  venue text not null,
  asset text not null,
  on_venue numeric(78, 0) not null,
  booked numeric(78, 0) not null,
  -- real time, of this comparison and of the first of those in a row that differed
  compared_at timestamptz not null,
  off_since timestamptz,
  primary key (venue, asset)
);
