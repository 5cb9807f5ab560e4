create table merchants (
  id uuid primary key,
  name text not null,
  company_name text not null,
  company_url text not null,
  -- shape and defaults: merchants/settings.ts
  settings jsonb not null default '{}',
  created_at timestamptz not null,
  disabled_at timestamptz
);

-- Secrets of a merchant, sealed with the data key. `api` signs requests and notifications; `webhook` is the Standard
-- Webhooks secret. Two may be valid at once, so that they can be rotated without a gap. `revoked_at` ends a key whatever
-- any clock says.
create table merchant_keys (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  purpose text not null check (purpose in ('api', 'webhook')),
  sealed text not null,
  created_at timestamptz not null,
  first_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (merchant_id, id)
);

-- Who changed what of a merchant; values of secrets never appear.
create table merchant_audit (
  merchant_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  detail jsonb not null,
  primary key (merchant_id, id)
);

-- Every process caches merchants; a change reaches them at once.
create function notify_merchant_changed() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'merchants' then
    perform pg_notify('merchant_changed', new.id::text);
  else
    perform pg_notify('merchant_changed', new.merchant_id::text);
  end if;
  return null;
end $$;
create trigger merchants_changed after insert or update on merchants
  for each row execute function notify_merchant_changed();
create trigger merchant_keys_changed after insert or update on merchant_keys
  for each row execute function notify_merchant_changed();

-- The business clock runs ahead of the real one by this much: only ever other than 0 in a sandbox.
create table business_clock (
  singleton boolean primary key default true check (singleton),
  offset_ms bigint not null default 0
);
insert into business_clock default values;

-- What an operator has to look at. An alert of the same kind and subject is raised once until it is resolved.
create table alerts (
  id uuid primary key,
  kind text not null,
  subject text not null,
  text text not null,
  detail jsonb not null default '{}',
  raised_at timestamptz not null,
  resolved_at timestamptz
);
create unique index alerts_open on alerts (kind, subject) where resolved_at is null;

-- Answers already given, by what makes a request the same one: `sig:` its signature, `key:` its Idempotency-Key. Written
-- in the transaction of the effect.
create table request_answers (
  merchant_id uuid not null,
  key text not null,
  fingerprint text not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null,
  primary key (merchant_id, key)
);
-- The two kinds live differently long: each is found by age without reading the other.
create index request_answers_signatures on request_answers (created_at) where key like 'sig:%';
create index request_answers_keys on request_answers (created_at) where key like 'key:%';
