-- outside a transaction
-- Expired invoices that were paid in part count for the limit of a payment link until they are refunded.
create index concurrently if not exists crypto_invoices_link_part on crypto_invoices (merchant_id, link_id)
  where link_id is not null and state = 'expired' and (paid_units > 0 or waiting_units > 0) and not refunded;
