-- Units of gas that a payment to an account without history takes on an EVM chain, by ticker, as its node estimates it: integers as text.
alter table network_fees add column payment_gas jsonb not null default '{}';
