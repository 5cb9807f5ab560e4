-- How calls to an acquirer's account have gone, counted by the minute (business time): a call is good when the acquirer
-- took the order. Routing looks at the last minutes; older rows are removed.
create table acquirer_health (
  acquirer text not null,
  -- 'payIn' or 'payout'
  direction text not null,
  minute timestamptz not null,
  good integer not null default 0,
  bad integer not null default 0,
  primary key (acquirer, direction, minute)
);

-- What acquirers keep is counted with the networks' fees.
drop index ledger_accounts_costs;
create index ledger_accounts_costs on ledger_accounts (merchant_id) where kind in ('network-costs', 'acquirer-costs');
