-- outside a transaction
-- One payment link for each localId of a merchant; the list finds a link by it.
create unique index concurrently if not exists payment_links_local_id on payment_links (merchant_id, local_id) where local_id is not null;
