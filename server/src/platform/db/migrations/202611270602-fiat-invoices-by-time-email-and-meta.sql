-- outside a transaction
create index concurrently if not exists fiat_invoices_time on fiat_invoices (merchant_id, created_at, id);
create index concurrently if not exists fiat_invoices_email on fiat_invoices (merchant_id, email, created_at, id) where email is not null;
create index concurrently if not exists fiat_invoices_meta on fiat_invoices (merchant_id, md5(meta), created_at, id) where meta is not null;
