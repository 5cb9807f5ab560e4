-- What a deposit that no block has stands on: the outpoints that its unconfirmed ancestors spend, and which of them spends each. When a block has another transaction
-- spend one of these, the deposit can never be mined, although nobody has touched its own inputs.
create table deposit_ancestry (
  network text not null,
  transaction text not null,
  keys text[] not null,
  spenders text[] not null,
  read_at timestamptz not null,
  primary key (network, transaction),
  check (cardinality(keys) = cardinality(spenders))
);
