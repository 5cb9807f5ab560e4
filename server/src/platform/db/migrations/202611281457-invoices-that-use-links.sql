-- outside a transaction
-- Invoices that count for the limit of a payment link: its page counts them at each visit, without those that ended unpaid.
create index concurrently if not exists crypto_invoices_link_used on crypto_invoices (merchant_id, link_id)
  where link_id is not null and state <> 'expired';
create index concurrently if not exists fiat_invoices_link_used on fiat_invoices (merchant_id, link_id)
  where link_id is not null and state <> 'failed';
