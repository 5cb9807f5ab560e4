-- Gapless per merchant: the row is locked from the first event of a transaction until its commit, so a reader that has
-- seen sequence N has seen all before it.
create table event_heads (
  merchant_id uuid primary key,
  sequence bigint not null default 0
) with (fillfactor = 40);

-- Every notification ever made, in the bytes that are sent. Never changed.
create table events (
  merchant_id uuid not null,
  sequence bigint not null,
  id uuid not null,
  object_id uuid not null,
  kind text not null,
  status text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (merchant_id, sequence)
);
create index events_object on events (object_id);
create trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

-- One row for each object that has events not delivered yet: what keeps their order. `epoch` fences a delivery worker
-- that wakes after its claim has passed to another.
create table event_streams (
  object_id uuid primary key,
  merchant_id uuid not null,
  next_at timestamptz not null,
  attempts integer not null default 0,
  epoch bigint not null default 0,
  state text not null default 'active' check (state in ('active', 'exhausted'))
) with (fillfactor = 60);
create index event_streams_due on event_streams (next_at) where state = 'active';
create index event_streams_merchant on event_streams (merchant_id) where state = 'exhausted';

-- What of an object's events is still to be delivered, in order.
create table event_outbox (
  object_id uuid not null,
  sequence bigint not null,
  merchant_id uuid not null,
  primary key (object_id, sequence)
);

-- Each attempt at each delivery, for the merchant to look at.
create table event_attempts (
  merchant_id uuid not null,
  sequence bigint not null,
  attempt integer not null,
  at timestamptz not null,
  status smallint,
  error text,
  duration_ms integer not null,
  primary key (merchant_id, sequence, attempt, at)
);
create index event_attempts_age on event_attempts (at);
