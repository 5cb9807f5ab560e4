-- Endpoints of a merchant beside the one of its settings. Each has a secret of its own, and chooses the kinds of
-- notifications that it gets.
create table webhook_endpoints (
  -- chosen with the form, so that a form that is submitted twice makes one
  id uuid primary key,
  merchant_id uuid not null,
  url text not null,
  description text not null,
  -- null: all
  kinds text[],
  is_on boolean not null default true,
  sealed text not null,
  -- the secret before, and the end of its validity on the business clock
  sealed_before text,
  before_until timestamptz,
  -- of the form of the last rotation, so that a form that is submitted twice replaces the secret once
  rotation_id uuid,
  -- `person:ID` or `cli:LOGIN`
  created_by text not null,
  created_at timestamptz not null,
  removed_at timestamptz
);
create index webhook_endpoints_merchant on webhook_endpoints (merchant_id, created_at);

-- As event_streams, for one endpoint instead of one merchant.
create table endpoint_streams (
  endpoint_id uuid not null,
  object_id uuid not null,
  merchant_id uuid not null,
  next_sequence bigint not null,
  last_sequence bigint not null,
  state text not null default 'active' check (state in ('active', 'exhausted')),
  attempts integer not null default 0,
  next_at timestamptz,
  own_lane boolean not null default false,
  leased_until timestamptz not null default '-infinity',
  epoch bigint not null default 0,
  since timestamptz not null,
  until timestamptz not null,
  primary key (endpoint_id, object_id),
  check (next_sequence <= last_sequence)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create index endpoint_streams_due on endpoint_streams (next_at) where not own_lane;
create index endpoint_streams_lanes on endpoint_streams (endpoint_id, next_at, next_sequence) where own_lane;
create index endpoint_streams_exhausted on endpoint_streams (endpoint_id, next_at) where state = 'exhausted';
create index endpoint_streams_failing on endpoint_streams (endpoint_id)
  where own_lane and (attempts > 0 or state = 'exhausted');

-- As event_attempts, for one endpoint.
create table endpoint_attempts (
  endpoint_id uuid not null,
  sequence bigint not null,
  epoch bigint not null,
  attempt integer not null,
  at timestamptz not null,
  status smallint,
  error text,
  duration_ms integer not null,
  primary key (endpoint_id, sequence, epoch)
);
create index endpoint_attempts_age on endpoint_attempts using brin (at);

-- null: a test of the endpoint of the merchant's settings
alter table webhook_tests add column endpoint_id uuid;
