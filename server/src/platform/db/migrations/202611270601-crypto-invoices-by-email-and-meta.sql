-- outside a transaction
create index concurrently if not exists crypto_invoices_email on crypto_invoices (merchant_id, email, id) where email is not null;
create index concurrently if not exists crypto_invoices_meta on crypto_invoices (merchant_id, md5(meta), id) where meta is not null;
create index concurrently if not exists refund_claims_invoice on refund_claims (merchant_id, invoice_id);
