-- `reserved` is spoken for by orders on a venue: units + reserved, over all chunks, are the sum of the ledger's `position` accounts.
-- What went in and out through exchanges is counted where inventory moves, so that it is exact and no row is hot: units of the ledger,
-- values in 1e-18 USDT at the middle of the market. `margin` is what came in less what went out, at that middle.
alter table exchange_inventory
  add column reserved numeric(78, 0) not null default 0 check (reserved >= 0),
  add column bought_units numeric(78, 0) not null default 0,
  add column bought_value numeric(78, 0) not null default 0,
  add column sold_units numeric(78, 0) not null default 0,
  add column sold_value numeric(78, 0) not null default 0,
  add column margin numeric(78, 0) not null default 0;

-- What the owner has put into the position of an asset, and how far exchanges may take it from there: a limit that is null is the one of the settings.
-- What was traded before this table counts as the owner's.
create table position_limits (
  asset text primary key,
  funded numeric(78, 0) not null default 0,
  long_limit numeric(78, 0) check (long_limit >= 0),
  short_limit numeric(78, 0) check (short_limit >= 0)
);
insert into position_limits(asset, funded) select asset, sum(units) from exchange_inventory group by asset;
