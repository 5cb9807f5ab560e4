-- People who sign in to the dashboard of a merchant. All times of these tables are of the real clock.
create table dashboard_people (
  -- that of the first invitation
  id uuid primary key,
  email text not null,
  -- the address in lower case
  address text not null unique,
  language text not null check (language in ('uk', 'kk', 'ru', 'en')),
  created_at timestamptz not null
);

create table dashboard_members (
  merchant_id uuid not null references merchants (id),
  person_id uuid not null references dashboard_people (id),
  role text not null check (role in ('owner', 'admin', 'finance', 'approver', 'support', 'developer', 'viewer')),
  added_at timestamptz not null,
  -- null: the person is a member
  removed_at timestamptz,
  primary key (merchant_id, person_id)
);
create index dashboard_members_person on dashboard_members (person_id);

-- A link, sent by mail, with which a person becomes a member (join), or sets up a new way to sign in (reset).
create table dashboard_invitations (
  id uuid primary key,
  -- SHA-256 of the token in the link
  token_hash bytea not null unique,
  kind text not null check (kind in ('join', 'reset')),
  merchant_id uuid not null references merchants (id),
  email text not null,
  address text not null,
  role text not null check (role in ('owner', 'admin', 'finance', 'approver', 'support', 'developer', 'viewer')),
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  withdrawn_at timestamptz
);
create index dashboard_invitations_address on dashboard_invitations (merchant_id, address);

create table dashboard_passkeys (
  id uuid primary key,
  person_id uuid not null references dashboard_people (id),
  -- base64url, as the authenticator made it
  credential_id text not null unique,
  -- COSE, as the authenticator made it
  public_key bytea not null,
  -- of signatures, by the authenticator; 0 where it does not count
  counter bigint not null,
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index dashboard_passkeys_person on dashboard_passkeys (person_id);

create table dashboard_passwords (
  person_id uuid primary key references dashboard_people (id),
  -- argon2id, in the PHC format
  hash text not null,
  -- the secret of the one-time codes (RFC 6238), encrypted with a data key
  sealed_seed text not null,
  -- the 30-second step of the last code that was accepted: each code is accepted once
  last_step bigint not null,
  changed_at timestamptz not null
);

create table dashboard_recovery_codes (
  person_id uuid not null references dashboard_people (id),
  -- SHA-256
  code_hash bytea not null,
  used_at timestamptz,
  primary key (person_id, code_hash)
);

create table dashboard_sessions (
  id uuid primary key,
  person_id uuid not null references dashboard_people (id),
  -- SHA-256 of the token in the cookie
  token_hash bytea not null unique,
  method text not null check (method in ('passkey', 'password', 'recovery')),
  -- the browser's name for itself
  agent text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  -- when the person last proved that it is them
  proved_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz
);
create index dashboard_sessions_person on dashboard_sessions (person_id, created_at);

-- Attempts to sign in with a password. Each address belongs to one of 65,536 rows by its hash, whether it is known or
-- not, so that the table does not grow and does not show which addresses exist.
create table dashboard_attempts (
  bucket integer primary key check (bucket between 0 and 65535),
  failed integer not null,
  blocked_until timestamptz not null
);

-- WebAuthn challenges whose answer was accepted: each is accepted once.
create table dashboard_challenges (
  challenge text primary key,
  expires_at timestamptz not null
);
create index dashboard_challenges_expired on dashboard_challenges (expires_at);

create table dashboard_audit (
  id uuid primary key,
  at timestamptz not null,
  -- null where it is about a person alone
  merchant_id uuid references merchants (id),
  -- whom it is about
  person_id uuid references dashboard_people (id),
  -- person:ID or cli:LOGIN
  actor text not null,
  action text not null,
  detail jsonb not null
);
create index dashboard_audit_merchant on dashboard_audit (merchant_id, at);
create index dashboard_audit_person on dashboard_audit (person_id, at);
create trigger dashboard_audit_append_only before update or delete or truncate on dashboard_audit
  for each statement execute function refuse_change();
