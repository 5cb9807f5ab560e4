-- Lists of sanctioned addresses as the operator imported them. All versions are kept; one of each source is the current one.
create table screening_lists (
  id uuid primary key,
  source text not null,
  -- when it was published, by itself or by the operator's word
  published date not null,
  sha256 text not null,
  entries integer not null check (entries > 0),
  current boolean not null,
  imported_at timestamptz not null
);
create unique index screening_lists_current on screening_lists (source) where current;

create table screening_list_entries (
  list_id uuid not null references screening_lists (id),
  -- in the spelling that is compared
  address text not null,
  asset text not null,
  name text not null,
  primary key (list_id, address, asset)
);
create index screening_list_addresses on screening_list_entries (address);

-- What is judged: a deposit or a withdrawal, once each.
create table screenings (
  merchant_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('deposit', 'withdrawal')),
  -- of the deposit or the withdrawal
  subject_id uuid not null,
  -- what providers are asked: {network, asset, direction, transaction, own, others}
  subject jsonb not null,
  state text not null check (state in ('asked', 'unanswered', 'clean', 'risky', 'released', 'rejected')),
  -- by provider: what it answered, or by what reference it is asked again
  answers jsonb not null default '{}',
  -- the judgement, once there is one: {riskScore, signals, flags, risky, providers, madeAt}
  report jsonb,
  -- names the report's document on the wire: whoever has it may read it
  token text not null unique,
  attempts integer not null default 0,
  problem text,
  -- business clock
  next_at timestamptz not null,
  -- real clock: until then no other worker takes it
  leased_until timestamptz not null default '-infinity',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  unique (kind, merchant_id, subject_id)
);
create index screenings_due on screenings (next_at) where state in ('asked', 'unanswered');
create index screenings_risky on screenings (created_at) where state = 'risky';

-- Verified is told after Done, with what screening found: {url, signals, riskScore, timestamp, dangerSignals, risky}.
alter table deposits drop constraint deposits_told_check;
alter table deposits add constraint deposits_told_check check (told in ('Pending', 'Done', 'Verified', 'Failed'));
alter table deposits add column compliance jsonb;
alter table deposits add constraint deposits_verified check (told <> 'Verified' or compliance is not null);
