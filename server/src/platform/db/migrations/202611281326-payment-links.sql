-- Reusable links to payment pages. Amounts are decimals in units of the ticker. A row is never deleted, because
-- invoices name it. `stopped_at` is null while the link may be used.
create table payment_links (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  token text not null unique check (token ~ '^[A-Za-z0-9_-]{22}$'),
  kind text not null check (kind in ('crypto', 'card')),
  name text not null,
  description text,
  ticker text not null,
  amount text,
  least text,
  most text,
  language text check (language in ('uk', 'kk', 'ru', 'en')),
  expires_at timestamptz,
  most_uses integer check (most_uses > 0),
  stopped_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check (amount is null or (least is null and most is null))
);
alter table crypto_invoices add column link_id uuid;
alter table fiat_invoices add column link_id uuid;
