-- What a network asked for lately, one reading each 10 minutes: what is low is known by comparison.
create table fee_rates_seen (
  network text not null,
  slot timestamptz not null,
  -- thousandths of a satoshi for each virtual byte
  rate numeric(78, 0) not null,
  primary key (network, slot)
);
