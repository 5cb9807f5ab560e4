-- How much of an asset the signer lets go in an hour and a day, in ledger units, as a worker has read it last: merchants' own limits
-- are parts of it.
create table signer_limits (
  network text not null,
  asset text not null,
  per_hour numeric(78, 0) not null,
  per_day numeric(78, 0) not null,
  read_at timestamptz not null,
  primary key (network, asset)
);

-- When a withdrawal passed its merchant's limits, and counts towards them from then on.
alter table withdrawals add column passed_limits_at timestamptz;
create index withdrawals_passed_limits on withdrawals (merchant_id, blockchain, ticker, passed_limits_at) include (units) where passed_limits_at is not null;
-- Merchants whose part of a day is not the standard one.
create index merchants_day_percent on merchants (id) where settings ? 'withdrawalDayPercent';
