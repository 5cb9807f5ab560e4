-- When an invoice fails whose card was refused, unless it is paid before; null: none was, or another payment is under way.
alter table fiat_invoices add column fails_at timestamptz;
create index fiat_invoices_failing on fiat_invoices (fails_at) where state in ('created', 'pending') and fails_at is not null;
