-- outside a transaction
create index concurrently if not exists crypto_invoices_link on crypto_invoices (merchant_id, link_id, id) where link_id is not null;
create index concurrently if not exists fiat_invoices_link on fiat_invoices (merchant_id, link_id, created_at, id) where link_id is not null;
