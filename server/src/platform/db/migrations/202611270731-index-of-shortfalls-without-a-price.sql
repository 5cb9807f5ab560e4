-- outside a transaction
create index concurrently if not exists crypto_invoices_shortfalls on crypto_invoices (merchant_id, id) where shortfall_unpriced and state in ('pending', 'expired');
