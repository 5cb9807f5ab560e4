-- Several hot addresses on an EVM network, each with nonces of its own.
alter table hot_wallets drop constraint hot_wallets_pkey;
alter table hot_wallets add primary key (network, address);

alter table outgoing drop constraint outgoing_purpose_check;
alter table outgoing add constraint outgoing_purpose_check
  check (purpose in ('payout', 'filler', 'sweep', 'gas', 'consolidation', 'resources', 'cold', 'rebalance'));

-- What moves from one hot address to another; its transaction in outgoing has the same id and says how far it has come.
create table hot_moves (
  id uuid primary key references outgoing(id),
  network text not null,
  asset text not null,
  from_address text not null,
  to_address text not null,
  units numeric(78, 0) not null check (units > 0),
  created_at timestamptz not null
);
create index hot_moves_network on hot_moves (network, created_at);
