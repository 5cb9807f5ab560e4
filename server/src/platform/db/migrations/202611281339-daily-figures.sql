-- What a merchant received on each day, and what its balances were at the end of the day. Charts of a dashboard read these
-- rows instead of the entries of the ledger, whose number grows with each payment. A job of the worker counts new entries.
create table daily_balances (
  merchant_id uuid not null,
  asset text not null,
  -- in UTC, business clock
  day date not null,
  -- the newest entry of the day: entries up to that of the newest day are counted
  version bigint not null,
  posted numeric(78, 0) not null,
  primary key (merchant_id, asset, day)
);
create table daily_figures (
  merchant_id uuid not null,
  day date not null,
  asset text not null,
  -- the kind of the entries' cause
  cause text not null,
  -- of the entries that raise the balance: their number and sum
  entries bigint not null,
  units numeric(78, 0) not null,
  primary key (merchant_id, day, asset, cause)
);
