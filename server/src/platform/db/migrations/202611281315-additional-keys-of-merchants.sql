-- Additional keys of a merchant: each has scopes, and may have an end and a list of addresses. They sign requests only.
-- The main key is in merchant_keys. Times are of the real clock.
create table api_keys (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  name text not null check (length(name) between 1 and 60),
  -- the secret, sealed with the data key
  sealed text not null,
  scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'invoices', 'payouts', 'exchange']),
  -- CIDR ranges; empty: every address
  addresses text[] not null,
  expires_at timestamptz,
  -- `person:ID` or `cli:LOGIN`
  created_by text not null,
  created_at timestamptz not null,
  -- of the form that asked for the key, so that a form sent twice makes one key
  form_id uuid,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_from text,
  primary key (merchant_id, id),
  unique (merchant_id, form_id)
);
create index api_keys_newest on api_keys (merchant_id, created_at desc, id);

-- Every process caches merchants with their keys. A use changes nothing that is cached.
create trigger api_keys_changed after insert or update of sealed, scopes, addresses, expires_at, revoked_at on api_keys
  for each row execute function notify_merchant_changed();
