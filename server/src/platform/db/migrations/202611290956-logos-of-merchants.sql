-- Logos of merchants: the one that payers see, and the draft that a member has uploaded and not published. Times are of
-- the real clock.
create table merchant_logos (
  merchant_id uuid not null references merchants (id),
  state text not null check (state in ('draft', 'shown')),
  media_type text not null check (media_type in ('image/png', 'image/jpeg')),
  -- pixels
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  bytes bytea not null check (length(bytes) between 1 and 100000),
  -- SHA-256 of the bytes, hexadecimal
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  -- `person:ID`
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  primary key (merchant_id, state)
);
-- Pages name a logo by its hash. Several merchants may have the same logo.
create index merchant_logos_shown on merchant_logos (hash) where state = 'shown';

-- Every process caches merchants with the hash of the logo that is shown. A draft changes nothing that is cached.
create function notify_logo_changed() returns trigger language plpgsql as $$
begin
  if 'shown' in (old.state, new.state) then
    perform pg_notify('merchant_changed', coalesce(new.merchant_id, old.merchant_id)::text);
  end if;
  return null;
end $$;
create trigger merchant_logos_changed after insert or update or delete on merchant_logos
  for each row execute function notify_logo_changed();
