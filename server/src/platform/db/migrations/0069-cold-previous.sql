-- Bitcoin: the transactions that the coins of a transfer to cold storage come from, without witnesses. Whoever signs elsewhere
-- proves the amounts by them. Kept while the transfer waits for its signature.
create table cold_previous (
  id uuid not null references cold_transfers (id),
  transaction text not null,
  raw bytea not null,
  primary key (id, transaction)
);
