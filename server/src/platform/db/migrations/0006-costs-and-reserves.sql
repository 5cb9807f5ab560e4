-- What every address of ours should hold by what was seen to come and what we sent, in ledger units, at the block the
-- watcher has read to. It moves in the transaction that moves the cursor, so that books and chain can be held against each
-- other address by address.
create table custody_addresses (
  network text not null,
  asset text not null,
  address text not null,
  -- negative when more left than ever came
  booked numeric(78, 0) not null,
  -- of `booked`, what the chain had too much and nothing explains: it stands in suspense
  suspended numeric(78, 0) not null default 0 check (suspended >= 0),
  -- changed since it was last compared
  touched boolean not null default true,
  -- what the chain held less `booked`, when last compared
  difference numeric(78, 0) not null default 0,
  -- since when the chain has held too much
  surplus_since timestamptz,
  compared_height bigint,
  compared_at timestamptz,
  primary key (network, asset, address)
) with (fillfactor = 70);
create index custody_addresses_touched on custody_addresses (network, compared_at) where touched;
create index custody_addresses_different on custody_addresses (network) where difference <> 0;
create index custody_addresses_suspended on custody_addresses (network) where suspended > 0;
create index custody_addresses_oldest on custody_addresses (network, compared_at);

-- Moves of the newest blocks, on networks whose nodes tell balances of the final block only (TRON): a record less these is
-- what it was at that block.
create table custody_recent (
  network text not null,
  height bigint not null,
  asset text not null,
  address text not null,
  units numeric(78, 0) not null,
  primary key (network, height, asset, address)
);

-- The newest comparison of each asset on each network, in ledger units.
create table custody_rounds (
  network text not null,
  asset text not null,
  height bigint not null,
  hash text not null,
  -- what the ledger says our wallets hold, and what the chain says
  booked numeric(78, 0) not null,
  on_chain numeric(78, 0) not null,
  -- what single addresses hold less and more than they should
  short numeric(78, 0) not null,
  surplus numeric(78, 0) not null,
  compared_at timestamptz not null,
  primary key (network, asset)
);

-- What was known before this table was: coins that nothing has spent; deposits and fundings in blocks, less what the hot
-- wallet sent and what its transactions cost.
insert into custody_addresses (network, asset, address, booked)
  select network, 'BTC', address, sum(units) from utxos
    where block_height is not null and spent_by is null group by network, address;
insert into custody_addresses (network, asset, address, booked)
  select network, asset, address, sum(units) from (
    select network, asset, address, units from deposits where block_height is not null and not internal
    union all
    select network, asset, address, units from fundings
    union all
    select o.network, w.ticker, o.senders[1], -w.units from withdrawals w join outgoing o on o.id = w.outgoing_id
      where o.mined_height is not null and o.succeeded
    union all
    select h.network, a.asset, h.address, a.posted from ledger_accounts a join hot_wallets h
      on (h.network, a.asset) in (('ETHEREUM', 'ETH'), ('BINANCE_SMART_CHAIN', 'BNB')) where a.kind = 'network-costs'
  ) x where network <> 'BITCOIN' group by network, asset, address;

-- Network fees by merchant (or the house), day (UTC) and operation: a count of the ledger's network-costs entries, made
-- after the fact so that no posting waits for it.
create table network_costs (
  merchant_id uuid not null,
  day date not null,
  network text not null,
  asset text not null,
  operation text not null,
  units numeric(78, 0) not null,
  postings bigint not null,
  primary key (merchant_id, day, network, asset, operation)
);
create index network_costs_day on network_costs (day);
-- How far each account's entries are counted.
create table network_costs_counted (
  account_id bigint primary key,
  version bigint not null
);
create index ledger_accounts_costs on ledger_accounts (merchant_id) where kind = 'network-costs';

-- Proofs of liabilities. `secret` makes the salts that hide whose a leaf is.
create table reserve_reports (
  id uuid primary key,
  taken_at timestamptz not null,
  statement text not null,
  secret bytea not null,
  commitment text not null,
  -- hex, both or none
  public_key text,
  signature text,
  check ((public_key is null) = (signature is null))
);
-- A merchant's balances at the time of a report, in the order of the statement's assets.
create table reserve_leaves (
  merchant_id uuid not null,
  report_id uuid not null references reserve_reports (id),
  units numeric(78, 0)[] not null,
  primary key (merchant_id, report_id)
);
create index reserve_leaves_report on reserve_leaves (report_id);
create trigger reserve_reports_append_only before update or delete or truncate on reserve_reports
  for each statement execute function refuse_change();
create trigger reserve_leaves_append_only before update or delete or truncate on reserve_leaves
  for each statement execute function refuse_change();
