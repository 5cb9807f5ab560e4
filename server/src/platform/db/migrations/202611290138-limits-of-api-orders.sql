-- What the signed API has paid of a merchant whose policy limits it, by asset and minute of the real clock. Rows that are
-- older than a day are deleted when the next payment is recorded.
create table payout_api_sums (
  merchant_id uuid not null references merchants (id),
  ticker text not null,
  minute timestamptz not null,
  units numeric(78, 0) not null check (units > 0),
  primary key (merchant_id, ticker, minute)
);
