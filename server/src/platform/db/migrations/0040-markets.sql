-- What order books say of each asset against USDT, as last read. `believed_*` is the last reading without a doubt: what a
-- jump is measured against. Prices in 1e-18 of the market's quote for one base.
create table market_legs (
  ticker text primary key,
  -- why nothing is priced by it now; null: open
  closed_because text,
  believed_e18 numeric(78, 0),
  believed_at timestamptz,
  -- how many books must hold enough for a price
  quorum smallint not null,
  -- the books that agree: [{source, base, quote, observedAt, bids: [[price, amount]], asks}], integers as text, 1e-18
  books jsonb not null,
  -- sources that don't count, and why
  dropped jsonb not null,
  observed_at timestamptz not null,
  check ((believed_e18 is null) = (believed_at is null))
);

-- Official rates, newest of each source: whole units of the currency for one USD, in 1e-18.
create table official_rates (
  ticker text not null,
  source text not null,
  per_usd_e18 numeric(78, 0) not null check (per_usd_e18 > 0),
  observed_at timestamptz not null,
  primary key (ticker, source)
);
