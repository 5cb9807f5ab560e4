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
create index events_object on events (object_id, sequence);
create trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

-- Numbers claims of streams; none is ever given twice, so that a stream that went and came back is not taken for the old one.
create sequence event_claims;

-- One row for each object with events to deliver: those from `next_sequence` to `last_sequence`, in order. It goes when
-- the last one is delivered. What is leased or fenced does not touch an index, so that claiming a stream is cheap.
create table event_streams (
  merchant_id uuid not null,
  object_id uuid not null,
  next_sequence bigint not null,
  last_sequence bigint not null,
  state text not null default 'active' check (state in ('active', 'exhausted')),
  -- failed attempts at the event in `next_sequence`
  attempts integer not null default 0,
  -- business clock; null: not before its owner says so
  next_at timestamptz,
  -- taken through its merchant's own lane, so that a receiver that is slow, failing or not known delays nobody else
  own_lane boolean not null default false,
  -- real clock: until then a worker has it
  leased_until timestamptz not null default '-infinity',
  -- the claim in force: a worker that wakes after its claim passed to another writes nothing
  epoch bigint not null default 0,
  primary key (merchant_id, object_id),
  check (next_sequence <= last_sequence)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create index event_streams_due on event_streams (next_at) where not own_lane;
create index event_streams_lanes on event_streams (merchant_id, next_at, next_sequence) where own_lane;
create index event_streams_exhausted on event_streams (merchant_id, next_at) where state = 'exhausted';

-- Each attempt at each delivery, for the merchant to look at. A claim makes at most one attempt at an event.
create table event_attempts (
  merchant_id uuid not null,
  sequence bigint not null,
  epoch bigint not null,
  attempt integer not null,
  at timestamptz not null,
  status smallint,
  error text,
  duration_ms integer not null,
  primary key (merchant_id, sequence, epoch)
);
create index event_attempts_age on event_attempts using brin (at);
