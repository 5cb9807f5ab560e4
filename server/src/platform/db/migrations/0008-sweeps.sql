-- Bringing what deposit addresses hold to the hot wallet: one row for each asset of an address and try. Ledger units.
create table sweeps (
  id uuid primary key,
  network text not null,
  asset text not null,
  address text not null,
  merchant_id uuid not null,
  derivation_index bigint not null,
  -- what the address held in final blocks when it was chosen
  units numeric(78, 0) not null check (units > 0),
  -- how it leaves, by the family's own names: delegate, direct, top-up, energy, burn...
  way text not null,
  state text not null,
  -- the transaction that prepares it (gas, energy, activation), and the one that carries it
  funding_id uuid references outgoing (id),
  outgoing_id uuid references outgoing (id),
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 80);
create unique index sweeps_open on sweeps (network, address, asset) where state not in ('final', 'failed', 'replaced');
create index sweeps_waiting on sweeps (network, state, created_at) where state in ('planned', 'funded');
create index sweeps_outgoing on sweeps (outgoing_id) where outgoing_id is not null;
create index sweeps_funding on sweeps (funding_id) where funding_id is not null;
create index sweeps_of on sweeps (network, address, asset, created_at);

-- Transfers that our own transactions make between addresses of ours, as blocks of the best chain show them. Ledger units.
create table house_transfers (
  network text not null,
  transaction text not null,
  index text not null,
  asset text not null,
  from_address text not null,
  -- null where it is a deposit besides, which books what its receiver has more
  to_address text,
  units numeric(78, 0) not null,
  block_height bigint not null,
  primary key (network, transaction, index)
);
create index house_transfers_height on house_transfers (network, block_height);

create index custody_addresses_holding on custody_addresses (network, address) where booked > 0;
