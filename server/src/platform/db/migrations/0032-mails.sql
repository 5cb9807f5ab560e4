-- Mails to be sent, each written in the transaction of what it tells and told once to an address.
create table mails (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  -- which letter it is
  kind text not null,
  -- what it tells about: an invoice, a claim, an outage
  about text not null,
  recipient text not null,
  -- whose mailbox that is, whatever the spelling: mails to it are counted by this
  mailbox text not null,
  audience text not null check (audience in ('payer', 'merchant')),
  language text not null,
  data jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'failed')),
  attempts integer not null default 0,
  -- business clock
  next_at timestamptz not null,
  -- real clock: until then no other worker takes it
  leased_until timestamptz not null default '-infinity',
  -- why the last attempt came to nothing
  problem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, about, kind, recipient)
);
create index mails_due on mails (next_at) where state in ('queued', 'sending');
create index mails_of_a_mailbox on mails (mailbox, created_at);
create index mails_ended on mails (updated_at) where state in ('sent', 'failed');

-- Whether a worker sends mail. Without it nothing is queued: a mail that nobody will send must not lie in wait for years.
create table mail_service (
  singleton boolean primary key default true check (singleton),
  sends boolean not null,
  at timestamptz not null
);
