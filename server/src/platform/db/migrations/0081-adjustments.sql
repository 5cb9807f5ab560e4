-- People whose signature an adjustment of the books needs. The first is enrolled by an operator, the others by a signature of one
-- who is enrolled.
create table people (
  id text primary key check (id ~ '^[a-z0-9._-]{1,64}$'),
  -- Ed25519, 32 bytes, hex
  public_key text not null unique check (public_key ~ '^[0-9a-f]{64}$'),
  -- the login under which the person types commands: nobody signs an adjustment of their own
  login text not null,
  enrolled_by text not null,
  enrolled_at timestamptz not null,
  -- who vouched for the person, and the signature
  vouched_by text references people (id),
  signature text,
  removed_by text,
  removed_at timestamptz
);

-- Money of the books that an operator wants moved from one account to another: what is signed, and never changed.
create table adjustments (
  id uuid primary key,
  asset text not null,
  units numeric(78, 0) not null check (units > 0),
  -- the same as a person reads it, a decimal of the asset
  amount text not null,
  -- as typed: KIND, or KIND:OWNER or KIND:PLACE
  from_account text not null,
  to_account text not null,
  -- of which address the books say too much, or whose unexplained money it is: NETWORK/ADDRESS
  address text,
  -- the rejected deposit whose money leaves quarantine
  deposit_id uuid,
  reason text not null,
  proposed_by text not null,
  proposed_at timestamptz not null
);
create index adjustments_deposit on adjustments (deposit_id) where deposit_id is not null;
create trigger adjustments_append_only before update or delete or truncate on adjustments
  for each statement execute function refuse_change();

-- Adjustments that were signed and posted, each in the transaction of its row.
create table adjustment_signatures (
  adjustment_id uuid primary key references adjustments (id),
  person text not null references people (id),
  signature text not null,
  applied_by text not null,
  applied_at timestamptz not null
);
create trigger adjustment_signatures_append_only before update or delete or truncate on adjustment_signatures
  for each statement execute function refuse_change();
