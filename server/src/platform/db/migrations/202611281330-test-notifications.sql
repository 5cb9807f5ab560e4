-- Notifications of kind `Test`, which a person asks for to see whether an endpoint answers. They have no sequence and are not
-- in `events`: a merchant that reads its notifications by sequence never meets one. The api inserts a row, the worker sends it.
create table webhook_tests (
  -- chosen with the form, so that a form that is submitted twice makes one
  id uuid primary key,
  merchant_id uuid not null,
  body text not null,
  -- business clock
  asked_at timestamptz not null,
  -- real clock: until then a worker has it
  leased_until timestamptz not null default '-infinity',
  -- how often a worker has taken it
  claims integer not null default 0,
  -- business clock; null: it waits
  sent_at timestamptz,
  -- null: there was no response
  status smallint,
  -- the beginning of the response, or why there was none
  answer text,
  duration_ms integer
);
create index webhook_tests_newest on webhook_tests (merchant_id, asked_at desc);
create index webhook_tests_age on webhook_tests (asked_at);
create index webhook_tests_waiting on webhook_tests (asked_at) where sent_at is null;
