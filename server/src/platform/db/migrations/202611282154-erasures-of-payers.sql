-- Addresses of payers that members ask to erase. The worker erases them, and empties `emails` with the end of the request.
create table payer_erasures (
  id uuid primary key,
  merchant_id uuid not null references merchants (id),
  -- the forms in which the address may be stored
  emails text[] not null,
  asked_at timestamptz not null,
  ended_at timestamptz,
  check ((ended_at is null) = (cardinality(emails) > 0))
);
create index payer_erasures_open on payer_erasures (asked_at, id) where ended_at is null;
