-- Merchants that leave. A merchant without a row is active. It is a table of its own because `disabled_at` refuses every request,
-- and a merchant that leaves still reads, pays out and is notified.
create table merchant_endings (
  merchant_id uuid primary key references merchants (id),
  state text not null check (state in ('active', 'ending', 'ended')),
  -- business clock: when it came into this state
  since timestamptz not null
);

-- Every process caches merchants; a change reaches them at once.
create trigger merchant_endings_changed after insert or update on merchant_endings
  for each row execute function notify_merchant_changed();
